"""The fusion graph of a large program: in few boxes, whole to read, and not waited for."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from compiler_core import report
from tests.browser.fusion_report import drawn, repeated
from tests.browser.graph_panes import draw
from tests.browser.steps import expect_state, pane, show

LARGE = 300
# 1, 0.8, 0.64, ...: at some of them a sign of whole pixels is a tenth wider than it is reckoned.
SCALES = 5

CUT = """() => [...document.querySelectorAll(".fusion-drawing .box")].flatMap(box => {
  const room = box.querySelector("rect").getBBox()
  return [...box.querySelectorAll("text")].filter(text => text.getBBox().width > room.width)
    .map(text => text.textContent)
})"""


# A layout that is asked for while the page says so does not come.
HELD = """{
  const post = Worker.prototype.postMessage
  Worker.prototype.postMessage = function (...sent) {
    if (!window.isHeld || sent[0]?.cmd !== "layout") post.apply(this, sent)
  }
}"""


@pytest.fixture(scope="module")
def page(chromium: Browser, live_stack: str) -> Iterator[Page]:
    context = chromium.new_context(base_url=live_stack, viewport={"width": 1440, "height": 900})
    context.add_init_script(HELD)
    yield context.new_page()
    context.close()


@pytest.fixture
def graph(page: Page, store: Callable[..., str]) -> Locator:
    """As it is fused, each of its 600 kernels for itself."""
    found = opened(page, store(report.encode_report(repeated(LARGE))))
    expect(found.locator(".box.operation")).to_have_count(2)
    return found


def opened(page: Page, address: str) -> Locator:
    page.goto(address)
    expect_state(page, "done")
    show(page, "Fusion")
    return pane(page, "fusion")


def test_before_fusion_a_large_graph_is_drawn_by_lines_of_the_snippet(graph: Locator) -> None:
    graph.get_by_role("slider", name="Step").press("Home")
    expect(graph.locator(".fusion-legend")).to_contain_text("by line of the snippet")
    # Two lines in turn are one pair that is drawn once.
    expect(graph.locator(".hull-label").first).to_contain_text("×")
    draw(graph, "Equal blocks once", False)
    closed = graph.locator(".box.hull")
    expect(closed.first).to_contain_text("line 4, 5")
    assert closed.count() <= LARGE
    closed.first.dblclick()
    expect(graph.locator(".box.operation").first).to_contain_text("dot_general")


def test_at_no_scale_is_a_text_wider_than_its_box(page: Page, store: Callable[..., str]) -> None:
    graph = opened(page, store(report.encode_report(drawn())))
    graph.locator(".hull .turn").first.click()
    expect(graph.locator(".box.hull")).to_contain_text("subtract, exponential")
    for _ in range(SCALES):
        assert page.evaluate(CUT) == []
        graph.get_by_role("button", name="Zoom out").click()


def test_who_does_not_want_to_wait_cancels_and_goes_on(page: Page, graph: Locator) -> None:
    page.evaluate("window.isHeld = true")
    draw(graph, "Equal blocks once", False)
    coming = graph.locator(".fusion-coming")
    expect(coming).to_contain_text(re.compile(r"Laying out \d+ boxes"))
    coming.get_by_role("button", name="Cancel").click()
    expect(coming).to_contain_text("Not laid out: cancelled")
    expect(graph.locator(".box.operation")).to_have_count(2)
    page.evaluate("window.isHeld = false")
    coming.get_by_role("button", name="Lay out").click()
    expect(graph.locator(".box.hull")).to_have_count(2 * LARGE)
    expect(coming).to_have_count(0)


def test_the_kernels_of_a_drawing_are_closed_and_opened_together(
    page: Page, store: Callable[..., str]
) -> None:
    graph = opened(page, store(report.encode_report(repeated(20))))
    draw(graph, "Equal blocks once", False)
    expect(graph.locator(".box.operation")).to_have_count(40)
    draw(graph, "Kernels closed", True)
    expect(graph.locator(".box.hull")).to_have_count(40)
    graph.locator(".box.hull").first.dblclick()
    expect(graph.locator(".box.operation")).to_have_count(1)
    draw(graph, "Kernels closed", False)
    expect(graph.locator(".box.operation")).to_have_count(40)


def test_the_blocks_of_a_model_are_closed_at_first_and_opened_one_by_one(
    page: Page, store: Callable[..., str]
) -> None:
    graph = opened(page, store(report.encode_report(repeated(40, modules=True))))
    expect(graph.locator(".hull-label").first).to_have_text("blocks/0…39 × 40 ")
    draw(graph, "Equal blocks once", False)
    blocks = graph.locator(".box.hull")
    expect(blocks).to_have_count(40)
    expect(blocks.first).to_contain_text("blocks/0")
    blocks.first.dblclick()
    expect(blocks.filter(has_text="matmul · ")).to_have_count(1)
    graph.locator('.hull.frame[role="button"] .turn').click()
    expect(blocks).to_have_count(40)
    graph.get_by_role("slider", name="Step").press("Home")
    expect(graph.locator(".fusion-legend")).to_contain_text("by module or function")
    expect(blocks.first).to_contain_text("blocks/0")


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720)])
def test_what_zooms_is_in_the_row_of_the_search(
    page: Page, store: Callable[..., str], size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    graph = opened(page, store(report.encode_report(drawn())))
    zoom = graph.get_by_role("group", name="Zoom").get_by_role("button")
    expect(zoom).to_have_count(4)
    search = graph.get_by_role("searchbox", name="Search the graph")
    assert {middle(each) for each in [search, *zoom.all()]} == {middle(search)}


def middle(each: Locator) -> int:
    box = each.bounding_box()
    assert box
    return round(box["y"] + box["height"] / 2)
