"""What of the deck of a workshop's course they see who do not lead: who turns its pages alone,
and who follows."""

import re
import zipfile

from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.deck.pages import AT_FIRST, COURSE, deck, heading, turn
from tests.browser.steps import PHONE, exercises, go, pane, room, show, source, write


def test_a_page_of_the_deck_is_read_on_a_phone(sam: Page) -> None:
    assert violations(sam) == []
    assert sam.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_the_leader_turns_pages_by_keys_that_are_nobody_elses(lena: Page, sam: Page) -> None:
    lena.keyboard.press("ArrowRight")
    expect(heading(sam, "What a call costs")).to_be_visible()
    lena.keyboard.press("ArrowLeft")
    expect(heading(sam, COURSE)).to_be_visible()


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
    sam.evaluate(AT_FIRST, [f"{link.removeprefix('/w/')}/seat", ran])
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


def test_a_leader_who_opens_a_pane_by_a_key_has_left_the_deck_wherever_the_focus_was(
    lena: Page, sam: Page, compiled: str
) -> None:
    follow(sam)
    lena.goto(compiled)
    expect(sam).to_have_url(re.compile(compiled))
    lena.get_by_role("tab", name="Triton").click()
    for key in ("w", "F6"):
        # In the deck, and nowhere: there it is after its page was turned by the room's bar.
        for leave in ("", "document.activeElement.blur()"):
            turn(lena, "Next")
            expect(deck(sam)).to_be_visible()
            lena.evaluate(leave)
            lena.keyboard.press(key)
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
