"""A workshop through a leader's browser and a participant's."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import api
from tests.browser.steps import GELU, write

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def lena(page: Page) -> Page:
    """Who opens a workshop."""
    page.goto("/w/")
    page.get_by_label("Title").fill("Fusion")
    page.get_by_label("Your name").fill("Lena")
    page.get_by_role("button", name="Open a workshop").click()
    expect(room(page).get_by_role("button", name="Hand out")).to_be_visible()
    return page


@pytest.fixture
def sam(lena: Page, chromium: Browser, live_stack: str) -> Iterator[Page]:
    """Who joins it, on a phone."""
    context = chromium.new_context(base_url=live_stack, viewport=PHONE)
    page = context.new_page()
    page.goto(lena.evaluate("location.pathname"))
    page.get_by_label("Your name").fill("Sam")
    page.get_by_role("button", name="Join").click()
    expect(room(page).get_by_role("button", name="Follow Lena")).to_be_visible()
    yield page
    context.close()


def source(page: Page):
    return page.get_by_role("textbox", name="Source")


def room(page: Page):
    return page.get_by_role("region", name="Workshop")


def test_a_workshop_is_opened_joined_followed_and_handed_a_snippet(
    lena: Page, sam: Page, live_stack: str
) -> None:
    expect(room(lena)).to_contain_text("2 of 2 here")
    # Handed out, taken, and one's own text put back.
    write(sam, "mine = 1")
    write(lena, GELU)
    room(lena).get_by_role("button", name="Hand out").click()
    expect(room(sam)).to_contain_text("Lena handed out a snippet.")
    room(sam).get_by_role("button", name="Open it").click()
    expect(source(sam)).to_contain_text("bias_gelu")
    room(sam).get_by_role("button", name="Put my text back").click()
    expect(source(sam)).to_contain_text("mine = 1")
    # Followed to a run, and one's own way again.
    room(sam).get_by_role("button", name="Follow Lena").click()
    address = api.ended(live_stack, GELU, measure=False).address
    lena.goto(address)
    expect(sam).to_have_url(re.compile(address), timeout=30_000)
    room(sam).get_by_role("button", name="Following Lena").click()
    # A reload keeps the seat; who is removed is out at once.
    sam.reload()
    expect(room(sam).get_by_role("button", name="Follow Lena")).to_be_visible()
    room(lena).get_by_role("button", name=re.compile("here")).click()
    room(lena).get_by_role("button", name="Remove Sam").click()
    expect(room(sam)).to_have_count(0)
    expect(room(lena)).to_contain_text("1 of 1 here")


def test_a_workshop_that_has_ended_is_said_once(chromium: Browser, live_stack: str) -> None:
    page = chromium.new_page(base_url=live_stack)
    page.goto("/w/")
    page.evaluate("() => sessionStorage.setItem('fuselab.workshop', 'k7mq-2p9x')")
    page.goto("/")
    expect(room(page)).to_contain_text('There is no workshop "k7mq-2p9x".')
    page.reload()
    expect(room(page)).to_have_count(0)
    page.close()
