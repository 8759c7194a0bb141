"""What a workshop says of itself: at its door, in its bar, on the wall."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.axe import violations
from tests.browser.deck.pages import COURSE
from tests.browser.steps import PHONE, leave, open_options, room


@pytest.fixture
def strict(page: Page) -> Page:
    """A workshop with a pass phrase, whose runs are all for the CPU."""
    page.goto("/w/")
    form = page.get_by_role("form", name="Open a workshop")
    form.get_by_label("Title").fill("Fusion")
    form.get_by_label("Your name").fill("Lena")
    form.get_by_label("Pass phrase").fill("warp")
    form.get_by_text("The same for all runs").click()
    assert violations(page) == []
    form.get_by_label("Device").select_option("cpu")
    form.get_by_role("button", name="Open a workshop").click()
    expect(room(page).get_by_role("button", name="Hand out")).to_be_visible()
    return page


@pytest.fixture
def outside(strict: Page, chromium: Browser, live_stack: str) -> Iterator[Page]:
    """Who stands at its door, with a phone."""
    context = chromium.new_context(base_url=live_stack, viewport=PHONE, reduced_motion="reduce")
    page = context.new_page()
    page.goto(strict.evaluate("location.pathname"))
    yield page
    context.close()


def test_what_the_room_has_pinned_cannot_be_chosen_and_says_so(strict: Page) -> None:
    open_options(strict)
    options = strict.get_by_role("form", name="Options")
    expect(options.get_by_label("Device")).to_be_disabled()
    expect(options.get_by_label("Device")).to_have_value("cpu")
    expect(options.get_by_label("Target")).to_be_enabled()
    expect(options).to_contain_text("The workshop has pinned Device, the same for all runs.")
    assert violations(strict) == []
    leave(strict)
    expect(options.get_by_label("Device")).to_be_enabled()


def test_a_door_says_what_is_behind_it_and_who_leads_there(strict: Page, outside: Page) -> None:
    expect(room(outside)).to_contain_text("Lena leads this workshop")
    expect(outside).to_have_title("Fusion · Fuselab")
    assert violations(outside) == []
    # So does a locked one, and whom to ask.
    door = room(strict).get_by_role("button", name="Lock the door")
    door.click()
    expect(room(strict).get_by_role("button", name="Unlock the door")).to_be_visible()
    outside.reload()
    expect(room(outside)).to_contain_text("the door is locked, and nobody new comes in. Ask Lena")
    assert violations(outside) == []
    room(strict).get_by_role("button", name="Unlock the door").click()
    expect(door).to_be_visible()
    outside.reload()
    outside.get_by_label("Your name").fill("Sam")
    outside.get_by_label("Pass phrase").fill("warp")
    outside.get_by_role("button", name="Join").click()
    expect(room(outside).get_by_role("button", name="Follow Lena")).to_be_visible()
    expect(outside).to_have_title("Fusion · Fuselab")
    leave(outside)
    expect(outside).not_to_have_title(re.compile("Fusion"))


def test_a_leader_link_that_cannot_be_copied_stands_in_a_dialog(lena: Page) -> None:
    lena.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
    room(lena).get_by_role("button", name="Leader link").click()
    dialog = lena.get_by_role("dialog", name="The link")
    expect(dialog.get_by_role("textbox")).to_have_value(re.compile(r"/w/.+#lead="))
    expect(dialog).to_contain_text("Whoever has this link leads")
    expect(lena.locator(".toast")).to_be_hidden()
    assert violations(lena) == []
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)


def size_of(text: Locator) -> float:
    return float(text.evaluate("e => parseFloat(getComputedStyle(e).fontSize)"))


def test_the_address_to_type_is_large_beside_the_qr_code(strict: Page) -> None:
    room(strict).get_by_role("button", name="QR code").click()
    dialog = strict.get_by_role("dialog", name="Join this workshop")
    address = dialog.get_by_text(strict.evaluate("location.host + location.pathname"), exact=True)
    assert size_of(address) >= 28
    expect(dialog).to_contain_text("A pass phrase is asked for.")
    strict.set_viewport_size(PHONE)
    assert dialog.evaluate(
        "e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight"
    )
    strict.set_viewport_size({"width": 1440, "height": 900})


def test_the_leader_calls_the_room_otherwise(lena: Page, sam: Page) -> None:
    room(lena).get_by_role("button", name="More").click()
    lena.get_by_role("menuitem", name="Change the title").click()
    dialog = lena.get_by_role("dialog", name="Change the title")
    expect(dialog.get_by_label("Title")).to_have_value("Fusion")
    dialog.get_by_label("Title").fill("Fusion, part two")
    assert violations(lena) == []
    dialog.get_by_role("button", name="Change").click()
    expect(dialog).to_have_count(0)
    for page in (lena, sam):
        expect(room(page).locator("strong").first).to_have_text("Fusion, part two")
    room(sam).get_by_role("button", name="More").click()
    expect(sam.get_by_role("menuitem", name="Change my name")).to_be_visible()
    expect(sam.get_by_role("menuitem", name="Change the title")).to_have_count(0)


def test_a_room_is_opened_by_one_press(page: Page) -> None:
    page.goto("/w/")
    assert violations(page) == []
    page.get_by_role("button", name="Open a workshop").click()
    expect(room(page).get_by_role("button", name="Hand out")).to_be_visible()
    expect(room(page).locator("strong").first).to_have_text("Workshop")
    room(page).get_by_role("button", name=re.compile("here")).click()
    expect(page.get_by_label("Seats").get_by_role("listitem")).to_contain_text("Leader")
    # And so is one with a course, by the name that one gave before, and with all that is filled in.
    room(page).get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Change my name").click()
    page.get_by_role("dialog").get_by_label("Your name").fill("Lena")
    page.get_by_role("dialog").get_by_role("button", name="Change").click()
    expect(page.get_by_label("Seats").get_by_role("listitem")).to_contain_text("Lena")
    page.goto("/w/")
    title = "Why is my compiled model not faster?"
    page.get_by_label("Pass phrase, if wanted").fill("tangram")
    page.get_by_role("group", name="Ready to be led").get_by_role("button").click()
    expect(room(page).locator("strong").first).to_have_text(title)
    expect(room(page).get_by_role("button", name="Deck 1 of 16")).to_be_visible()
    room(page).get_by_role("button", name=re.compile("here")).click()
    expect(page.get_by_label("Seats").get_by_role("listitem")).to_contain_text("Lena")
    code = page.evaluate("location.pathname").removeprefix("/w/")
    door = page.request.get(f"/api/v1/workshops/{code}/door").json()
    assert door["wants_pass_phrase"]


@pytest.mark.parametrize("width", [1440, 390])
def test_a_button_that_is_pressed_while_the_courses_come_does_not_leave_the_pointer(
    page: Page, width: int
) -> None:
    """Pressed before they come and let go after it: a click is both on one element."""
    page.set_viewport_size({"width": width, "height": 844})
    asked: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route)

    page.route("**/api/v1/courses", hold)
    with page.expect_request("**/api/v1/courses"):
        page.goto("/w/")
    button = page.get_by_role("button", name="Open a workshop")
    button.hover()
    page.mouse.down()
    [courses] = asked
    courses.continue_()
    expect(page.get_by_role("button", name=COURSE)).to_be_visible()
    page.mouse.up()
    expect(room(page).get_by_role("button", name="Hand out")).to_be_visible()
