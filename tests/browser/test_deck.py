"""The deck of a workshop's course through a leader's browser and a participant's."""

import re
import zipfile

from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import violations
from tests.browser.steps import PHONE, room
from tests.browser.test_workshop import exercises, source

COURSE = "Why is my compiled model not faster?"


def deck(page: Page):
    return page.get_by_label("Deck", exact=True)


def heading(page: Page, name: str):
    return deck(page).get_by_role("heading", name=name)


def open_course(page: Page) -> None:
    page.goto("/w/")
    manual = page.get_by_role("link", name="How to lead a workshop")
    expect(manual).to_have_attribute("href", "/docs/workshops.md")
    page.get_by_label("Course").select_option(label=f"{COURSE} (90 min)")
    expect(page.get_by_label("Title")).to_have_value(COURSE)
    page.get_by_label("Your name").fill("Lena")
    page.get_by_text("The same for all runs").click()
    page.get_by_label("Target").first.select_option("sm_80")
    page.get_by_role("button", name="Open a workshop").click()
    expect(heading(page, COURSE)).to_be_visible()


def test_a_course_is_opened_paged_browsed_and_worked_on(
    page: Page, chromium: Browser, live_stack: str, compiled: str
) -> None:
    open_course(page)
    # The code for the projector: the server's drawing.
    room(page).get_by_role("button", name="QR code").click()
    drawing = page.get_by_role("img", name="QR code of")
    expect(drawing).to_be_visible()
    assert drawing.evaluate("async (image) => (await image.decode(), image.naturalWidth)") > 0
    page.keyboard.press("Escape")

    context = chromium.new_context(base_url=live_stack, viewport=PHONE, reduced_motion="reduce")
    seat = context.new_page()
    seat.goto(page.evaluate("location.pathname"))
    seat.get_by_label("Your name").fill("Sam")
    seat.get_by_role("button", name="Join").click()
    expect(heading(seat, COURSE)).to_be_visible()
    assert violations(seat) == []
    # The leader turns pages by keys wherever these are nobody else's, and the focus goes along.
    page.keyboard.press("ArrowRight")
    expect(heading(seat, "What a call costs")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    heading(page, COURSE).click()
    page.keyboard.press("ArrowRight")
    expect(heading(page, "What a call costs")).to_be_focused()
    expect(heading(seat, "What a call costs")).to_be_visible()
    # A seat browses and comes back; the leader's pages pass it by meanwhile.
    deck(seat).get_by_role("button", name="Previous page").click()
    for _ in range(2):
        deck(page).get_by_role("button", name="Next page").click()
    expect(deck(page)).to_contain_text("4 of 16")
    expect(heading(seat, COURSE)).to_be_visible()
    deck(seat).get_by_role("button", name="To Lena's page (4)").click()
    expect(heading(seat, "Your turn: bytes that nobody reads")).to_be_visible()
    # An exercise goes into the editor, which a phone has room for when the deck is out of the way.
    deck(seat).get_by_role("button", name="Start: Bytes that nobody reads").click()
    expect(source(seat)).to_contain_text("return y * gate, y, gate")
    expect(deck(seat)).to_have_count(0)
    room(seat).get_by_role("button", name="Deck 4 of 16").click()
    expect(deck(seat)).to_be_visible()
    # What the leader pinned is what everybody runs with.
    deck(seat).get_by_role("button", name="Close the deck").click()
    # What the front page's example was run with is not asked for the exercise.
    expect(seat.locator(".more-options > summary")).not_to_contain_text("TorchInductor")
    seat.get_by_text("Options").click()
    expect(seat.get_by_label("Target")).to_have_value("sm_80")
    # Everybody goes home with what is theirs, under the name that they like.
    room(seat).get_by_role("button", name="More", exact=True).click()
    seat.get_by_role("menuitem", name="Change my name").click()
    seat.get_by_label("Your name").fill("Samuel")
    seat.get_by_role("button", name="Change", exact=True).click()
    room(page).get_by_role("button", name="2 of 2 here").click()
    expect(page.get_by_role("list", name="Seats")).to_contain_text("Samuel")
    room(seat).get_by_role("button", name="More", exact=True).click()
    with seat.expect_download() as taken:
        seat.get_by_role("menuitem", name="Take my work home").click()
    with zipfile.ZipFile(taken.value.path()) as home:
        assert home.read("deck.md").decode().startswith(f"# {COURSE}")
    follow(seat, page, compiled)
    send_out_and_in(page)
    make_room(page)
    context.close()


def follow(seat: Page, page: Page, address: str) -> None:
    """Who follows on a phone sees what the leader went to last: a run, a page."""
    room(seat).get_by_role("button", name="Deck 4 of 16").click()
    expect(deck(seat)).to_be_visible()
    room(seat).get_by_role("button", name="Follow Lena").click()
    page.goto(address)
    expect(seat).to_have_url(re.compile(address))
    expect(deck(seat)).to_have_count(0)
    deck(page).get_by_role("button", name="Next page").click()
    expect(deck(seat)).to_contain_text("5 of 16")
    stay_at_work(seat, page)
    deck(page).get_by_role("button", name="Previous page").click()
    expect(deck(seat)).to_contain_text("4 of 16")


def stay_at_work(seat: Page, page: Page) -> None:
    """An exercise open on a phone stays where the leader goes on: what is shown is behind it."""
    room(seat).get_by_role("button", name="Exercises").click()
    deck(page).get_by_role("button", name="Next page").click()
    expect(seat.get_by_text("is behind the exercise")).to_be_visible()
    expect(exercises(seat)).to_be_visible()
    room(seat).get_by_role("button", name="Exercises").click()
    expect(deck(seat)).to_contain_text("6 of 16")
    deck(page).get_by_role("button", name="Previous page").click()
    expect(deck(seat)).to_contain_text("5 of 16")


def send_out_and_in(page: Page) -> None:
    """The course goes out as a zip and comes in again; what is none is said, and loses nothing."""
    room(page).get_by_role("button", name="More", exact=True).click()
    with page.expect_download() as taken:
        page.get_by_role("menuitem", name="Download the course").click()
    zipped = page.get_by_label("The course's zip")
    no_zip = {"name": "course.zip", "mimeType": "application/zip", "buffer": b"no zip"}
    zipped.set_input_files(no_zip)
    expect(room(page).get_by_role("alert")).to_contain_text("zip")
    expect(deck(page)).to_contain_text("4 of 16")
    zipped.set_input_files(no_zip | {"buffer": taken.value.path().read_bytes()})
    expect(page.get_by_text("The workshop has this course now.")).to_be_visible()
    expect(room(page).get_by_role("alert")).to_have_count(0)
    expect(deck(page)).to_contain_text("1 of 16")


def make_room(page: Page) -> None:
    """The deck and the exercises take each other's place beside the panes."""
    room(page).get_by_role("button", name="Exercises").click()
    expect(page.get_by_label("Exercises", exact=True)).to_be_visible()
    expect(deck(page)).to_have_count(0)
    room(page).get_by_role("button", name="Deck 1 of 16").click()
    expect(deck(page)).to_be_visible()
    expect(page.get_by_label("Exercises", exact=True)).to_have_count(0)
