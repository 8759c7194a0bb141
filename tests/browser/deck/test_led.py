"""The deck of a workshop's course at its leader's page: its pages are turned, and it goes out
and comes in."""

from playwright.sync_api import APIResponse, FilePayload, Page, Route, expect

from tests.browser.deck.pages import COURSE, WHY, deck, heading, turn
from tests.browser.steps import exercises, room
from webapp.workshops.courses.shelf import shelf
from webapp.workshops.courses.zipping import packed


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
