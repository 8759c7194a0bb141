"""A room with the deck of the course that ships, through a leader's browser and a participant's:
one for all tests of a file, each of which begins at its first page."""

import re
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from tests.browser.deck.pages import AT_FIRST, COURSE, deck, heading
from tests.browser.steps import PHONE, room

# In which a page has put right what it begins with, in milliseconds.
ITSELF_MS = 3_000
# So often what lies over the deck is pressed away at most.
PRESSES = 3


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
    opened.evaluate(AT_FIRST, [f"{link.removeprefix('/w/')}/deck", {"page": 0}])
    return at_the_beginning(opened, link)


@pytest.fixture
def sam(joined: Page, lena: Page, link: str) -> Page:
    """Who is in the room on a phone, and goes their own way."""
    joined.evaluate(AT_FIRST, [f"{link.removeprefix('/w/')}/seat", {"follows": False}])
    return at_the_beginning(joined, link)
