"""390 pixels are enough: everything can be reached, and the page never scrolls sideways."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import returning
from tests.browser.steps import GELU, expect_state, lit, measure, pane, show, write

WIDTH = 390


@pytest.fixture
def phone(chromium: Browser, live_stack: str) -> Iterator[Page]:
    context = chromium.new_context(
        base_url=live_stack,
        viewport={"width": WIDTH, "height": 844},
        has_touch=True,
        reduced_motion="reduce",
    )
    yield returning(context).new_page()
    context.close()


def _does_not_scroll_sideways(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    page.evaluate("window.scrollTo(200, 0)")
    assert page.evaluate("window.scrollX") == 0


def test_snippet_is_run_and_read_on_a_phone(phone: Page) -> None:
    phone.goto("/")
    write(phone, GELU)
    measure(phone, False)
    phone.get_by_role("button", name="Run", exact=True).tap()
    expect_state(phone, "done")
    tabs = phone.get_by_role("tab").all_inner_texts()
    phone.get_by_role("button", name="More").tap()
    below = phone.get_by_role("menuitemradio")
    expect(below.first).to_be_visible()
    others = below.all_inner_texts()
    assert len(tabs) == 6
    assert "Timings" in others
    phone.keyboard.press("Escape")
    for title in tabs + others:
        show(phone, title)
        _does_not_scroll_sideways(phone)
    strip = phone.locator(".phone-strip")
    assert strip.evaluate("strip => strip.scrollWidth <= strip.clientWidth")
    show(phone, "Triton")
    expect(pane(phone, "triton")).to_contain_text("@triton.jit")


def test_a_notice_lies_over_nothing_that_can_be_tapped(phone: Page, compiled: str) -> None:
    """A run that was made before says so, and its options are in reach meanwhile."""
    assert compiled
    phone.goto("/")
    write(phone, GELU)
    measure(phone, False)
    phone.get_by_role("button", name="Run", exact=True).tap()
    notice = phone.get_by_text("This very run was made before")
    expect(notice).to_be_visible()
    over = notice.bounding_box()
    under = phone.locator(".workspace").bounding_box()
    assert over and under
    assert over["y"] >= under["y"] + under["height"]
    assert over["y"] + over["height"] <= 844


def test_no_tab_is_cut_beside_the_longest_name_of_what_is_under_more(
    phone: Page, compiled: str
) -> None:
    phone.goto(compiled)
    phone.get_by_role("button", name="More").tap()
    phone.get_by_role("menuitemradio", name="Agreement").tap()
    strip = phone.get_by_role("tablist", name="Panes")
    # As with reasons to be counted: two digits.
    strip.get_by_role("tab").last.evaluate("tab => (tab.firstChild.textContent = 'Why 27')")
    assert strip.evaluate("strip => strip.scrollWidth <= strip.clientWidth")
    _does_not_scroll_sideways(phone)


def test_tapped_line_lights_up_in_the_pane_that_is_opened_next(phone: Page) -> None:
    phone.goto("/")
    write(phone, GELU)
    measure(phone, False)
    phone.get_by_role("button", name="Run", exact=True).tap()
    expect_state(phone, "done")
    show(phone, "Source")
    pane(phone, "source").locator(".cm-line", has_text="x + b").tap()
    show(phone, "Triton")
    expect(lit(phone, "triton").first).to_be_visible()


def test_who_has_run_nothing_is_told_what_the_page_does(phone: Page) -> None:
    phone.goto("/")
    about = phone.get_by_role("region", name="About this page")
    expect(about).to_contain_text("See what a compiler does")
    editor = phone.locator(".editor").bounding_box()
    assert editor and editor["height"] > 150
