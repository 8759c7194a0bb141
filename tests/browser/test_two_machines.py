"""A leader with two machines: that at which they went somewhere last is followed."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.deck.pages import WHY, deck, turn
from tests.browser.steps import pane, room, show, source, write
from webapp.workshops.courses.shelf import shelf
from webapp.workshops.courses.zipping import packed

LINK = """async () => {
    const code = sessionStorage["fuselab.workshop"]
    return (await (await fetch(`/api/v1/workshops/${code}`)).json()).lead_link
}"""
# A page tells where it is a fifth of a second after it came there.
TOLD_MS = 1500
ANOTHER = "Another machine is followed."
# What another machine did is seen here, while nothing else goes on.
AT_ONCE_MS = 1500


def second(chromium: Browser, live_stack: str, link: str) -> Page:
    page = chromium.new_context(base_url=live_stack, reduced_motion="reduce").new_page()
    page.goto(link)
    page.get_by_label("Your name").fill("Lena")
    page.get_by_role("button", name="Lead from here").click()
    expect(room(page).get_by_role("button", name="Hand out")).to_be_visible()
    return page


def is_at(page: Page, address: str) -> None:
    expect(page).to_have_url(re.compile(re.escape(urlsplit(address).path)))


def test_the_machine_that_went_somewhere_last_is_followed(
    lena: Page, sam: Page, chromium: Browser, live_stack: str, compiled: str, measured: str
) -> None:
    room(sam).get_by_role("button", name="Follow Lena").click()
    lena.goto(compiled)
    is_at(sam, compiled)
    other = second(chromium, live_stack, lena.evaluate(LINK))
    # It begins at the example of the front page, to which nobody has gone before they touch it.
    expect(source(other)).to_contain_text("rsqrt")
    is_at(sam, compiled)
    other.get_by_role("tab", name="Triton").click()
    expect(sam.get_by_role("group", name="Programs")).to_contain_text("add_rms_norm")
    expect(pane(sam, "triton")).to_be_visible()
    other.goto(measured)
    is_at(sam, measured)
    # Each says which it is.
    expect(room(lena)).to_contain_text(ANOTHER)
    expect(room(other)).not_to_contain_text(ANOTHER)
    room(sam).get_by_role("button", name=re.compile("here")).click()
    followed = sam.get_by_label("Seats").get_by_role("listitem").filter(has_text="is followed")
    expect(followed).to_have_count(1)
    # To load the other one again is to go nowhere.
    lena.reload()
    expect(source(lena)).to_contain_text("bias_gelu")
    expect(room(lena)).to_contain_text(ANOTHER)
    lena.wait_for_timeout(TOLD_MS)
    is_at(sam, measured)
    # What is done at it is.
    lena.get_by_role("tab", name="Triton").click()
    is_at(sam, compiled)
    expect(room(other)).to_contain_text(ANOTHER)
    expect(room(lena)).not_to_contain_text(ANOTHER)
    other.context.close()


def test_two_machines_of_a_leader_are_at_one_page_at_once_whichever_turned_it(
    lena: Page, chromium: Browser, live_stack: str
) -> None:
    lena.get_by_label("The course's zip").set_input_files(
        {"name": "c.zip", "mimeType": "application/zip", "buffer": packed(shelf()[WHY].files)}
    )
    expect(deck(lena)).to_contain_text("1 of 16")
    other = second(chromium, live_stack, lena.evaluate(LINK))
    expect(deck(other)).to_contain_text("1 of 16")
    held = list[Route]()

    def hold(route: Route) -> None:
        """A turn is on its way, or its answer is, for longer than the others take."""
        held.append(route)

    lena.route("**/deck", hold)
    for is_counted in (False, True):
        deck(lena).get_by_role("button", name="Next page").click()
        expect(deck(lena)).to_contain_text("2 of 16")
        answer = held[-1].fetch() if is_counted else None
        expect(deck(other)).to_contain_text(f"{2 if is_counted else 1} of 16")
        turn(other, "Next", 3)
        there = f"{5 if is_counted else 4} of 16"
        expect(deck(other)).to_contain_text(there)
        expect(deck(lena)).to_contain_text(there, timeout=AT_ONCE_MS)
        held[-1].fulfill(response=answer) if answer else held[-1].continue_()
        expect(deck(other)).to_contain_text(f"{5 if is_counted else 2} of 16")
        expect(deck(lena)).to_contain_text(f"{5 if is_counted else 2} of 16")
        turn(other, "Previous", 4 if is_counted else 1)
        expect(deck(lena)).to_contain_text("1 of 16")
    other.context.close()


def test_what_is_written_where_the_leader_shows_the_front_pages_example_outlives_a_reload(
    lena: Page, sam: Page, chromium: Browser, live_stack: str
) -> None:
    """The address is that run's from then on, and so is what is written beside it."""
    other = second(chromium, live_stack, lena.evaluate(LINK))
    expect(source(other)).to_contain_text("rsqrt")
    room(sam).get_by_role("button", name="Follow Lena").click()
    other.get_by_role("tab", name="Triton").click()
    expect(sam).to_have_url(re.compile("/r/"))
    room(sam).get_by_role("button", name="Following Lena").click()
    show(sam, "Source")
    expect(source(sam)).to_contain_text("rsqrt")
    # What the example was run with is nobody's choice.
    expect(sam.locator(".more-options > summary")).not_to_contain_text("TorchInductor")
    write(sam, "mine = 1")
    sam.reload()
    expect(source(sam)).to_have_text("mine = 1")
    other.context.close()


def test_of_two_tabs_the_one_that_went_somewhere_last_is_followed(
    lena: Page, sam: Page, compiled: str, measured: str
) -> None:
    room(sam).get_by_role("button", name="Follow Lena").click()
    lena.goto(compiled)
    is_at(sam, compiled)
    # A second tab of the same browser is the same seat.
    other = lena.context.new_page()
    other.goto(lena.evaluate("`/w/${sessionStorage['fuselab.workshop']}`"))
    expect(room(other).get_by_role("button", name="Hand out")).to_be_visible()
    other.goto(measured)
    is_at(sam, measured)
    expect(room(lena)).to_contain_text("Another tab is followed.")
    expect(room(other)).not_to_contain_text("is followed")
    expect(room(sam)).not_to_contain_text("is followed")
    # To load the first again is to go nowhere; what is done there is.
    lena.reload()
    expect(source(lena)).to_contain_text("bias_gelu")
    lena.wait_for_timeout(TOLD_MS)
    is_at(sam, measured)
    lena.get_by_role("tab", name="Triton").click()
    is_at(sam, compiled)
    expect(room(other)).to_contain_text("Another tab is followed.")
    expect(room(lena)).not_to_contain_text("is followed")


def test_what_is_shown_leaves_everybodys_own_options_as_they_are(
    lena: Page, sam: Page, compiled: str
) -> None:
    for page in (lena, sam):
        expect(page.get_by_role("checkbox", name="Measure")).to_be_checked()
    room(sam).get_by_role("button", name="Follow Lena").click()
    # A run of which nothing was measured, as that of an exercise.
    room(lena).get_by_role("button", name=re.compile("here")).click()
    sam.evaluate(_RAN, compiled.rpartition("/")[2])
    lena.get_by_role("button", name="Show to all who follow: the run of Sam").click()
    for page in (lena, sam):
        is_at(page, compiled)
        expect(source(page)).to_contain_text("bias_gelu")
        expect(page.get_by_role("checkbox", name="Measure")).to_be_checked()


_RAN = """async run => {
    const code = sessionStorage["fuselab.workshop"]
    const headers = {"Content-Type": "application/json"}
    const body = JSON.stringify({run})
    await fetch(`/api/v1/workshops/${code}/seat`, {method: "PATCH", headers, body})
}"""


def test_who_has_a_seat_and_comes_by_the_leaders_link_is_asked_whether_to_lead(
    lena: Page, sam: Page
) -> None:
    link = lena.evaluate(LINK)
    # One that was cut is said to lead nowhere, and leaves who came by it as they were.
    sam.goto(link[:-1])
    # A link that differs in its fragment alone loads nothing.
    sam.reload()
    sam.get_by_label("Your name").fill("Lena")
    sam.get_by_role("button", name="Lead from here").click()
    expect(room(sam).get_by_role("alert")).to_contain_text("does not lead this workshop")
    sam.get_by_label("Your name").fill("Sam")
    sam.get_by_role("button", name="Join", exact=True).click()
    expect(room(sam).get_by_role("button", name="Follow Lena")).to_be_visible()
    sam.goto(link)
    sam.reload()
    sam.get_by_label("Your name").fill("Lena")
    sam.get_by_role("button", name="Lead from here").click()
    expect(room(sam).get_by_role("button", name="Hand out")).to_be_visible()
    expect(sam).to_have_url(re.compile("^[^#]*$"))
    # Who leads already is let in, and the secret is out of sight.
    lena.goto(link)
    lena.reload()
    expect(room(lena).get_by_role("button", name="Hand out")).to_be_visible()
    expect(lena).to_have_url(re.compile("^[^#]*$"))
