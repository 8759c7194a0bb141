"""What the leader runs in the deck, on the pages of those who follow."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import violations
from tests.browser.deck.pages import deck
from tests.browser.steps import PHONE, RUN_MS, room
from tests.browser.test_live_blocks import SNIPPET, live, page_of, with_pages

PAGES: dict[str, str | None] = {
    "01-yours.md": page_of("Yours", f"python edit pane=c\n{SNIPPET}"),
    "02-example.md": page_of("Example", "fuselab run=softmax-rows pane=kernels"),
}


@pytest.fixture
def ada(page: Page, chromium: Browser, live_stack: str):
    """Who follows Lena, on a phone, in a room with these pages."""
    with_pages(page, PAGES)
    context = chromium.new_context(base_url=live_stack, viewport=PHONE, reduced_motion="reduce")
    joined = context.new_page()
    joined.goto(page.evaluate("location.pathname"))
    joined.get_by_label("Your name").fill("Ada")
    joined.get_by_role("button", name="Join").click()
    expect(deck(joined)).to_be_visible()
    room(joined).get_by_role("button", name="Follow Lena").click()
    yield joined
    context.close()


def run_there(page: Page, text: str) -> None:
    written = live(page, "A snippet").get_by_role("textbox", name="A snippet")
    written.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(text)
    live(page, "A snippet").get_by_role("button", name="Run it here").click()


def test_what_the_leader_runs_in_a_block_is_seen_by_whoever_follows(page: Page, ada: Page) -> None:
    block = live(ada, "A snippet")
    run_there(page, SNIPPET.replace("exp", "sin"))
    # A snippet that is as it was becomes hers, with what came of it.
    expect(block.get_by_role("textbox", name="A snippet")).to_contain_text("torch.sin")
    expect(block).to_contain_text("Lena ran this:")
    expect(block.locator(".deck-drawn")).to_contain_text("sin", timeout=RUN_MS)
    # The answer is no work of Ada's.
    assert ada.evaluate(_RUN) is None
    # One that was changed stays, and what Ada runs is what she sees.
    run_there(ada, SNIPPET.replace("exp", "cos"))
    expect(block.locator(".deck-drawn")).to_contain_text("cos", timeout=RUN_MS)
    expect(block).not_to_contain_text("Lena ran this")
    run_there(page, f"{SNIPPET.replace('exp', 'tanh')}  # {'wider than a phone ' * 5}")
    hers = block.get_by_role("group", name="What Lena ran here")
    expect(hers).to_contain_text("and yours stays as it is")
    expect(hers.locator("pre")).to_contain_text("torch.tanh")
    expect(block.locator(".deck-drawn")).to_contain_text("tanh", timeout=RUN_MS)
    expect(block.get_by_role("textbox", name="A snippet")).to_contain_text("torch.cos")
    assert violations(ada) == []
    assert hers.evaluate("shown => shown.scrollWidth <= shown.clientWidth")
    assert ada.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    # A reload finds it there; who goes their own way sees their own.
    ada.reload()
    expect(hers.locator("pre")).to_contain_text("torch.tanh")
    room(ada).get_by_role("button", name="Following Lena").click()
    expect(hers).to_have_count(0)
    expect(block.locator(".deck-drawn")).to_contain_text("cos")
    # What she ran in the block is on the wall, with its picture.
    room(page).get_by_role("button", name=re.compile("here")).click()
    expect(room(page).get_by_role("img", name="What the run of Ada came to")).to_be_visible()


def test_an_example_that_the_leader_runs_is_drawn_for_all_who_follow(page: Page, ada: Page) -> None:
    deck(page).get_by_role("button", name="Next page").click()
    live(page, "Softmax over rows: Kernels").get_by_role("button", name="Run:").click()
    table = live(ada, "Softmax over rows: Kernels").locator("table").first
    expect(table).to_contain_text("exponential", timeout=RUN_MS)


_RUN = """async () => {
    const code = sessionStorage["fuselab.workshop"]
    const room = await (await fetch(`/api/v1/workshops/${code}`)).json()
    return room.seats.find(({id}) => id === room.you).run
}"""
