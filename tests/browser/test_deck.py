"""The deck of a workshop's course through a leader's browser and a participant's: one room for
all of these tests, each of which begins at its first page."""

import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    APIResponse,
    Browser,
    Error,
    FilePayload,
    Page,
    Route,
    expect,
)

from tests.browser.axe import violations
from tests.browser.steps import PHONE, exercises, go, pane, room, show, source, write
from webapp.workshops.courses.shelf import shelf
from webapp.workshops.courses.zipping import packed

WHY = "why-not-faster"
COURSE = "Why is my compiled model not faster?"
# What the server has of a room and a seat, as whoever comes in finds it.
_AT_FIRST = """async ([path, wanted]) => {
    const headers = {"Content-Type": "application/json"}
    const body = JSON.stringify(wanted)
    await fetch(`/api/v1/workshops/${path}`, {method: "PATCH", headers, body})
}"""
# In which a page has put right what it begins with, in milliseconds.
ITSELF_MS = 3_000
# So often what lies over the deck is pressed away at most.
PRESSES = 3


def deck(page: Page):
    return page.get_by_label("Deck", exact=True)


def heading(page: Page, name: str):
    return deck(page).get_by_role("heading", name=name)


def turn(page: Page, to: str, times: int = 1) -> None:
    for _ in range(times):
        with page.expect_response(lambda answer: answer.url.endswith("/deck")):
            deck(page).get_by_role("button", name=f"{to} page").click()


@pytest.fixture(scope="module")
def opened(kept_page: Page) -> Page:
    """Who opens a room from the course that ships, with a target for all."""
    page = kept_page
    page.goto("/w/")
    page.get_by_label("Course").select_option(label=f"{COURSE} (90 min)")
    page.get_by_label("Your name").fill("Lena")
    page.get_by_text("The same for all runs").click()
    page.get_by_label("Target").first.select_option("sm_80")
    page.get_by_role("button", name="Open a workshop").click()
    expect(heading(page, COURSE)).to_be_visible()
    return page


@pytest.fixture(scope="module")
def link(opened: Page) -> str:
    return opened.evaluate("location.pathname")


@pytest.fixture(scope="module")
def joined(link: str, chromium: Browser, live_stack: str) -> Iterator[Page]:
    context = chromium.new_context(base_url=live_stack, viewport=PHONE, reduced_motion="reduce")
    page = context.new_page()
    page.goto(link)
    page.get_by_label("Your name").fill("Sam")
    page.get_by_role("button", name="Join").click()
    expect(heading(page, COURSE)).to_be_visible()
    yield page
    context.close()


def at_the_beginning(page: Page, link: str) -> Page:
    """The page with the deck at its first page and nothing over it. To load it anew takes longer
    than most of these tests."""
    if urlsplit(page.url).path != link:
        page.goto(link)
    page.keyboard.press("Escape")
    for _ in range(PRESSES):
        _press_what_is_over_it(page)
        with suppress(AssertionError):
            expect(heading(page, COURSE)).to_be_visible(timeout=ITSELF_MS)
            return page
    expect(heading(page, COURSE)).to_be_visible()
    return page


def _press_what_is_over_it(page: Page) -> None:
    for button in (
        room(page).get_by_role("button", name=re.compile("^Exercises"), pressed=True),
        room(page).get_by_role("button", name=re.compile("^Deck"), pressed=False),
        deck(page).get_by_role("button", name=re.compile("^To Lena's page")),
    ):
        if button.count():
            # A page that was just opened may do by itself what is asked of it here: before the
            # press, which then finds nothing, or under it, which then takes it back.
            with suppress(Error):
                button.click(timeout=ITSELF_MS)


@pytest.fixture
def lena(opened: Page, link: str) -> Page:
    """Who leads."""
    opened.evaluate(_AT_FIRST, [f"{link.removeprefix('/w/')}/deck", {"page": 0}])
    return at_the_beginning(opened, link)


@pytest.fixture
def sam(joined: Page, lena: Page, link: str) -> Page:
    """Who is in the room on a phone, and goes their own way."""
    joined.evaluate(_AT_FIRST, [f"{link.removeprefix('/w/')}/seat", {"follows": False}])
    return at_the_beginning(joined, link)


def test_a_course_is_chosen_where_a_room_is_opened_with_the_manual_at_hand(page: Page) -> None:
    page.goto("/w/")
    manual = page.get_by_role("link", name="How to lead a workshop")
    expect(manual).to_have_attribute("href", "/docs/workshops.md")
    page.get_by_label("Course").select_option(label=f"{COURSE} (90 min)")
    expect(page.get_by_label("Title")).to_have_value(COURSE)


def test_the_code_for_the_projector_is_the_servers_drawing(lena: Page) -> None:
    room(lena).get_by_role("button", name="QR code").click()
    drawing = lena.get_by_role("img", name="QR code of")
    expect(drawing).to_be_visible()
    assert drawing.evaluate("async (image) => (await image.decode(), image.naturalWidth)") > 0


def test_a_page_of_the_deck_is_read_on_a_phone(sam: Page) -> None:
    assert violations(sam) == []
    assert sam.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_the_leader_turns_pages_by_keys_that_are_nobody_elses(lena: Page, sam: Page) -> None:
    lena.keyboard.press("ArrowRight")
    expect(heading(sam, "What a call costs")).to_be_visible()
    lena.keyboard.press("ArrowLeft")
    expect(heading(sam, COURSE)).to_be_visible()


def test_an_answer_that_is_late_takes_no_leader_back_to_the_page_before(lena: Page) -> None:
    answers = list[tuple[Route, APIResponse]]()

    def swapped(route: Route) -> None:
        """Both turns are made, and answered the second first."""
        answers.append((route, route.fetch()))
        if len(answers) == 2:
            for asked, answer in reversed(answers):
                asked.fulfill(response=answer)

    lena.route("**/deck", swapped)
    for _ in range(2):
        deck(lena).get_by_role("button", name="Next page").click()
    expect(deck(lena)).to_contain_text("3 of 16")
    # Longer than the line looks for itself.
    lena.wait_for_timeout(2500)
    lena.unroute("**/deck")
    assert len(answers) == 2
    expect(deck(lena)).to_contain_text("3 of 16")


def test_the_focus_goes_along_with_a_page_that_is_turned_by_a_key(lena: Page) -> None:
    heading(lena, COURSE).click()
    lena.keyboard.press("ArrowRight")
    expect(heading(lena, "What a call costs")).to_be_focused()


def test_a_seat_browses_while_the_leaders_pages_pass_it_by_and_comes_back(
    lena: Page, sam: Page
) -> None:
    turn(lena, "Next")
    expect(heading(sam, "What a call costs")).to_be_visible()
    deck(sam).get_by_role("button", name="Previous page").click()
    turn(lena, "Next", times=2)
    expect(deck(lena)).to_contain_text("4 of 16")
    expect(heading(sam, COURSE)).to_be_visible()
    deck(sam).get_by_role("button", name="To Lena's page (4)").click()
    expect(heading(sam, "Your turn: bytes that nobody reads")).to_be_visible()


def begin(page: Page) -> None:
    """Begins the exercise of the fourth page, to which one has turned alone."""
    for _ in range(3):
        deck(page).get_by_role("button", name="Next page").click()
    deck(page).get_by_role("button", name="Start: Bytes that nobody reads").click()


def test_an_exercise_that_is_begun_on_a_phone_has_the_deck_out_of_its_way(sam: Page) -> None:
    begin(sam)
    expect(source(sam)).to_contain_text("return y * gate, y, gate")
    expect(deck(sam)).to_have_count(0)
    room(sam).get_by_role("button", name="Deck 4 of 16").click()
    expect(deck(sam)).to_be_visible()


def test_what_the_leader_pinned_is_what_everybody_runs_with(sam: Page) -> None:
    begin(sam)
    # What the front page's example was run with is not asked for the exercise.
    expect(sam.locator(".more-options > summary")).not_to_contain_text("TorchInductor")
    sam.get_by_text("Options").click()
    expect(sam.get_by_label("Target")).to_have_value("sm_80")


def test_who_calls_themselves_otherwise_is_called_so_by_all(lena: Page, sam: Page) -> None:
    room(sam).get_by_role("button", name="More", exact=True).click()
    sam.get_by_role("menuitem", name="Change my name").click()
    # A name that is refused is there to be changed, with the reason.
    name, change = (
        sam.get_by_label("Your name"),
        sam.get_by_role("button", name="Change", exact=True),
    )
    name.fill("lena")
    change.click()
    refusal = sam.get_by_role("dialog", name="Change my name").get_by_role("alert")
    expect(refusal).to_contain_text('"lena" is the name of who leads')
    expect(name).to_have_value("lena")
    assert violations(sam) == []
    name.fill("Samuel")
    change.click()
    expect(name).to_have_count(0)
    expect(room(sam).get_by_role("alert")).to_have_count(0)
    room(lena).get_by_role("button", name="1 of 1 here").click()
    expect(lena.get_by_role("list", name="Seats")).to_contain_text("Samuel")


def test_a_seat_takes_the_deck_home(sam: Page) -> None:
    room(sam).get_by_role("button", name="More", exact=True).click()
    with sam.expect_download() as taken:
        sam.get_by_role("menuitem", name="Take my work home").click()
    with zipfile.ZipFile(taken.value.path()) as home:
        assert home.read("deck.md").decode().startswith(f"# {COURSE}")


def follow(page: Page) -> None:
    room(page).get_by_role("button", name="Follow Lena").click()
    expect(room(page).get_by_role("button", name="Following Lena")).to_be_visible()


def test_who_follows_on_a_phone_sees_what_the_leader_went_to_last(
    lena: Page, sam: Page, link: str, compiled: str
) -> None:
    follow(sam)
    lena.goto(compiled)
    expect(sam).to_have_url(re.compile(compiled))
    expect(deck(sam)).to_have_count(0)
    turn(lena, "Next")
    expect(deck(sam)).to_contain_text("2 of 16")
    turn(lena, "Previous")
    expect(deck(sam)).to_contain_text("1 of 16")
    # So does who comes back by the key, and who loads the page again.
    room(sam).get_by_role("button", name="Following Lena").click()
    deck(sam).get_by_role("button", name="Close the deck").click()
    follow(sam)
    expect(deck(sam)).to_be_visible()
    sam.goto(link)
    expect(sam).to_have_url(re.compile(compiled))
    expect(deck(sam)).to_be_visible()
    # The panes, too, if it is a line of the very run that they had shown before.
    pane(lena, "source").locator(".cm-line", has_text="x + b").click()
    expect(deck(sam)).to_have_count(0)
    room(sam).get_by_role("button", name="Following Lena").click()
    room(sam).get_by_role("button", name="Deck 1 of 16").click()
    expect(deck(sam)).to_be_visible()
    follow(sam)
    expect(deck(sam)).to_have_count(0)


def telling(page: Page, link: str):
    """Until the room is told where who leads it is."""
    path = f"/api/v1/workshops/{link.removeprefix('/w/')}"
    return page.expect_response(
        lambda answer: answer.request.method == "PATCH" and answer.url.endswith(path)
    )


def test_a_leader_who_presses_a_pane_has_left_the_deck_and_one_who_loads_the_page_again_has_not(
    lena: Page, sam: Page, link: str, compiled: str, measured: str
) -> None:
    follow(sam)
    lena.goto(compiled)
    expect(sam).to_have_url(re.compile(compiled))
    for tab in ("Triton", "Numerics"):
        turn(lena, "Next")
        expect(deck(sam)).to_be_visible()
        lena.get_by_role("tab", name=tab).click()
        expect(deck(sam)).to_have_count(0)
    # Also for who follows anew, and where it is the pane of before.
    turn(lena, "Next")
    expect(deck(sam)).to_be_visible()
    room(sam).get_by_role("button", name="Following Lena").click()
    with telling(lena, link):
        lena.get_by_role("tab", name="Numerics").click()
    follow(sam)
    expect(deck(sam)).to_have_count(0)
    # A page that is loaded again tells where it is, and its person goes nowhere.
    turn(lena, "Next")
    expect(deck(sam)).to_be_visible()
    with telling(lena, link):
        lena.reload()
    room(sam).get_by_role("button", name="Following Lena").click()
    follow(sam)
    expect(deck(sam)).to_be_visible()
    # What is shown to all is seen by all, be it the run that is shown already; also by who has
    # another of their own before them.
    ran = {"run": compiled.rpartition("/")[2]}
    sam.evaluate(_AT_FIRST, [f"{link.removeprefix('/w/')}/seat", ran])
    room(lena).get_by_role("button", name="1 of 1 here").click()
    room(lena).get_by_role("button", name="Show to all").click()
    expect(deck(sam)).to_have_count(0)
    go(sam, measured)
    expect(sam).to_have_url(re.compile(measured))
    turn(lena, "Previous")
    expect(deck(sam)).to_be_visible()
    room(lena).get_by_role("button", name="Show to all").click()
    expect(sam).to_have_url(re.compile(compiled))
    expect(deck(sam)).to_have_count(0)


def test_who_follows_may_turn_back_and_goes_along_with_the_leaders_next_turn(
    lena: Page, sam: Page
) -> None:
    follow(sam)
    turn(lena, "Next", 2)
    expect(deck(sam)).to_contain_text("3 of 16")
    deck(sam).get_by_role("button", name="Previous page").click()
    # What the room is told of besides takes nobody from their page.
    room(lena).get_by_role("button", name="Lock the door").click()
    expect(room(lena).get_by_role("button", name="Unlock the door")).to_be_visible()
    room(lena).get_by_role("button", name="Unlock the door").click()
    expect(room(lena).get_by_role("button", name="Lock the door")).to_be_visible()
    expect(deck(sam)).to_contain_text("2 of 16")
    follow(sam)
    expect(deck(sam)).to_contain_text("3 of 16")
    deck(sam).get_by_role("button", name="Previous page").click()
    turn(lena, "Next")
    expect(deck(sam)).to_contain_text("4 of 16")
    expect(room(sam).get_by_role("button", name="Following Lena")).to_be_visible()


def test_who_writes_on_a_phone_loses_no_letter_where_the_leader_goes_on(
    lena: Page, sam: Page
) -> None:
    follow(sam)
    turn(lena, "Next")
    expect(deck(sam)).to_contain_text("2 of 16")
    deck(sam).get_by_role("button", name="Close the deck").click()
    show(sam, "Source")
    write(sam, "x = 1")
    turn(lena, "Next")
    expect(sam.get_by_text("The leader goes on in the deck")).to_be_visible()
    sam.keyboard.type("234")
    expect(source(sam)).to_have_text("x = 1234")
    # Who does not write goes along with the next page.
    source(sam).blur()
    turn(lena, "Next")
    expect(deck(sam)).to_be_visible()


def test_an_exercise_that_is_open_on_a_phone_stays_where_the_leader_goes_on(
    lena: Page, sam: Page
) -> None:
    follow(sam)
    room(sam).get_by_role("button", name="Exercises").click()
    turn(lena, "Next")
    expect(sam.get_by_text("is behind the exercise")).to_be_visible()
    expect(exercises(sam)).to_be_visible()
    room(sam).get_by_role("button", name="Exercises").click()
    expect(deck(sam)).to_contain_text("2 of 16")


def as_zip(content: bytes) -> FilePayload:
    return {"name": "course.zip", "mimeType": "application/zip", "buffer": content}


def test_what_is_no_course_is_said_to_be_none_and_loses_nothing(lena: Page) -> None:
    turn(lena, "Next")
    lena.get_by_label("The course's zip").set_input_files(as_zip(b"no zip"))
    expect(room(lena).get_by_role("alert")).to_contain_text("zip")
    # What is too large is not sent, and the history of its folder is mostly why.
    large = as_zip(bytes(2 * 2**20 + 1))
    lena.get_by_label("The course's zip").set_input_files(large)
    expect(room(lena).get_by_role("alert")).to_contain_text("larger than 2 MiB. Leave out")
    expect(deck(lena)).to_contain_text("2 of 16")


def test_the_course_goes_out_as_a_zip_and_comes_in_again(lena: Page) -> None:
    turn(lena, "Next")
    room(lena).get_by_role("button", name="More", exact=True).click()
    with lena.expect_download() as taken:
        lena.get_by_role("menuitem", name="Download the course").click()
    course = as_zip(taken.value.path().read_bytes())
    lena.get_by_label("The course's zip").set_input_files(course)
    expect(lena.get_by_text("The workshop has this course now.")).to_be_visible()
    expect(room(lena).get_by_role("alert")).to_have_count(0)
    expect(deck(lena)).to_contain_text("1 of 16")
    # Exercises alone are a room without a deck, and go out as well.
    alone = {at: text for at, text in shelf()[WHY].files.items() if not at.endswith(".md")}
    lena.get_by_label("The course's zip").set_input_files(as_zip(packed(alone)))
    expect(deck(lena)).to_have_count(0)
    expect(room(lena).get_by_role("button", name="Exercises")).to_be_visible()
    room(lena).get_by_role("button", name="More", exact=True).click()
    expect(lena.get_by_role("menuitem", name="Download the course")).to_be_visible()
    lena.keyboard.press("Escape")
    lena.get_by_label("The course's zip").set_input_files(course)
    expect(room(lena).get_by_role("button", name="Deck 1 of 16")).to_be_visible()


def test_the_deck_and_the_exercises_take_each_others_place_beside_the_panes(lena: Page) -> None:
    room(lena).get_by_role("button", name="Exercises").click()
    expect(exercises(lena)).to_be_visible()
    expect(deck(lena)).to_have_count(0)
    room(lena).get_by_role("button", name="Deck 1 of 16").click()
    expect(deck(lena)).to_be_visible()
    expect(exercises(lena)).to_have_count(0)
