"""390 pixels are enough: everything can be reached, and the page never scrolls sideways."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from compiler_core import report
from compiler_core.report import Buffer, ErrorSize, KernelError, Numerics
from tests.browser.conftest import returning
from tests.browser.others import LANES, opened_up
from tests.browser.steps import GELU, expect_state, lit, measure, pane, show, write
from tests.browser.test_verdict import TIMINGS

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


# What of a pane is wider than its place, and so is scrolled or cut; what ends in an ellipsis is
# said in full elsewhere.
CUT = """name => [...document.querySelectorAll(`[data-pane=${name}] *`)]
  .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 &&
    getComputedStyle(e).overflowX !== "visible" &&
    getComputedStyle(e).textOverflow !== "ellipsis" && !e.closest(".cards > thead, svg"))
  .map(e => `${e.tagName} ${e.className}: ${e.scrollWidth} in ${e.clientWidth}`)"""
# Of the words on the right: whether they are within the screen.
BEYOND = """name => [
    ...document.querySelectorAll(`[data-pane=${name}] :is(th, td, code, p, small)`)]
  .filter(e => e.checkVisibility() && !e.closest("thead") &&
    e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.textContent)"""
# Of the cards: whether one lies over the next.
OVER = """name => [...document.querySelectorAll(`[data-pane=${name}] .cards > tbody > tr > *`)]
  .filter(e => e.checkVisibility() &&
    e.getBoundingClientRect().bottom > e.parentElement.getBoundingClientRect().bottom + 1)
  .map(e => e.textContent)"""
NAMED = "k12_reduce_multiply_add_matmul_reduce_add_multiply_packed"


@pytest.fixture
def wide(store: Callable[..., str]) -> str:
    """A run whose tables have more columns, and longer names, than a phone has room for."""
    chosen = report.Schedule("registers", {"threads": "all", "rows": 12}, "tiles in registers")
    kernel = report.Kernel(
        NAMED, "matmul", None, ["multiply", "add", "exponential"], 2**21, 2**20, [5, 6],
        nodes=[0, 1], backend="cpu", schedule=chosen, flops=2**27,
    )  # fmt: skip
    own = ErrorSize(1.5e-5, 9.3e-5, 780.0, 131072, [12, 511], 0.123456789, 0.123456782)
    error = KernelError(NAMED, "out0", "f32[256,512]", own, own, own, own, backend="cpu")
    names = ("eager", "core", "inductor", "xla")
    rule = "at most twice eager's own error, or the tolerance of the type where that is more"
    return store(
        report.encode_report(
            opened_up(
                backend="cpu",
                kernels=[kernel],
                buffers=[Buffer("in_x", "f32[256,512]", 2**19, None, 0, 1, [0], backend="cpu")],
                numerics={each: Numerics(8.3e-6, 4.2e-5, True, rule) for each in names},
                kernel_errors=[error],
                timings=TIMINGS,
                timelines=LANES,
            )
        )
    )


def _finds_nothing(page: Page, wrong: str, name: str) -> None:
    """Once a plot has been drawn for the room that it has, which comes after it is there."""
    for _ in range(30):
        if page.evaluate(wrong, name) == []:
            return
        page.wait_for_timeout(100)
    assert page.evaluate(wrong, name) == []


@pytest.mark.parametrize("title", ["Kernels", "Memory", "Numerics", "Timings"])
def test_a_table_is_read_without_scrolling_sideways(phone: Page, wide: str, title: str) -> None:
    phone.goto(wide)
    show(phone, title)
    name = title.lower()
    expect(pane(phone, name).locator(".cards tbody").first).to_be_visible()
    for wrong in (CUT, BEYOND, OVER):
        _finds_nothing(phone, wrong, name)


def test_a_card_says_what_each_of_its_figures_is(phone: Page, wide: str) -> None:
    phone.goto(wide)
    show(phone, "Kernels")
    card = pane(phone, "kernels").locator(".launches tbody tr:not(.section, .details)")
    expect(card).to_have_count(1)
    moves = card.locator("td", has_text="MiB read")
    label = moves.evaluate("cell => getComputedStyle(cell, '::before').content")
    assert label == '"Moves"'
    expect(card.get_by_role("rowheader")).to_have_text(re.compile(NAMED))
    # Who has it read out hears the columns' names as on a desk.
    expect(pane(phone, "kernels").get_by_role("columnheader", name="Moves")).to_have_count(1)


@pytest.mark.parametrize("title", ["Agreement", "Timeline"])
def test_all_columns_of_a_long_table_are_in_sight(phone: Page, wide: str, title: str) -> None:
    phone.goto(wide)
    show(phone, title)
    name = title.lower()
    row = pane(phone, name).get_by_role("grid").locator("tbody tr[aria-rowindex]").first
    expect(row).to_be_visible()
    for wrong in (CUT, BEYOND):
        _finds_nothing(phone, wrong, name)
    first, second, *_ = row.locator("td").all()
    above, below = first.bounding_box(), second.bounding_box()
    assert above and below and above["y"] < below["y"] and above["width"] > 2 * below["width"]
