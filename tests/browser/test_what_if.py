"""What if: an edge is forbidden, a pass switched off, a candidate chosen; the run is made again so,
and says what that changed."""

import re
from collections.abc import Callable
from urllib.parse import unquote

import pytest
from msgspec import structs
from playwright.sync_api import Locator, Page, expect

from compiler_core import report
from compiler_core.report import ForbiddenEdge, ForcedEdge, Overridden, ScheduleCandidate
from tests.browser import api
from tests.browser.axe import SIZES, sized, violations
from tests.browser.fusion_report import drawn
from tests.browser.steps import expect_state, focused, go, pane, press_until, show
from tests.browser.test_fusion import hulls, opened, point_at
from tests.sweep_plugin import thinned

SOFTMAX = """# inputs: f32[256,128], f32[128]
import torch

def f(x, b):
    return torch.softmax(x + b, -1) * 2
"""
FORBIDDEN = ForbiddenEdge("0.divide", "1.dot_general")
FORCED = ForcedEdge("1.dot_general", "2.maximum")
REASON = "no kernel can be made of both: it would wait for a total"


CANDIDATES = [
    ScheduleCandidate("rows", {}, 1.0, True, "a row at a time", "rows", {"simd": ["no"]}),
    ScheduleCandidate("rows", {"threads": "all"}, 2.0, False, "shared", "rows.2"),
    ScheduleCandidate("split", {}, None, False, "rows are enough", "split"),
]


def report_of_what_if() -> report.Report:
    """A run in which one override was applied and one refused, of a kernel with a choice."""
    found = drawn(
        overrides=[
            Overridden(FORBIDDEN, "applied"),
            Overridden(FORCED, "refused", REASON, "cpu"),
        ]
    )
    kernels = found.programs[0].kernels
    kernels[0] = structs.replace(
        kernels[0],
        result="0.divide",
        schedule=report.Schedule("rows", {}, "a row at a time"),
        candidates=CANDIDATES,
    )
    found.options = structs.replace(found.options, overrides=(FORBIDDEN, FORCED))
    return found


@pytest.fixture(scope="module")
def address(store: Callable[..., str]) -> str:
    return store(report.encode_report(drawn()))


@pytest.fixture(scope="module")
def told_address(store: Callable[..., str]) -> str:
    return store(report.encode_report(report_of_what_if()))


def tray(page: Page) -> Locator:
    return page.get_by_role("region", name="What if")


def entries(page: Page) -> Locator:
    return tray(page).get_by_role("listitem")


def refused(graph: Locator) -> Locator:
    return graph.locator(".line.refused .reach").first


def test_an_edge_is_forced_from_its_card(page: Page, address: str) -> None:
    graph = opened(page, address)
    point_at(refused(graph))
    page.mouse.down()
    page.mouse.up()
    button = graph.get_by_role("button", name="Force to fuse 0.divide → 1.dot_general")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(entries(page)).to_have_text("Fused: 0.divide → 1.dot_general")
    expect(tray(page).get_by_role("button", name="Run with")).to_be_enabled()
    tray(page).get_by_role("button", name="Remove").click()
    expect(tray(page)).to_have_count(0)


def test_the_keys_come_to_an_edge_and_to_its_button(page: Page, address: str) -> None:
    graph = opened(page, address)
    graph.get_by_role("region", name="Fusion graph").focus()
    press_until(page, "ArrowDown", lambda: focused(page).startswith("divide"))
    card = graph.locator(".fusion-card", has_text="divide → dot_general")
    press_until(page, "e", lambda: card.count() > 0, most=3)
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Force")
    page.keyboard.press("Enter")
    expect(entries(page)).to_have_text("Fused: 0.divide → 1.dot_general")


def test_what_is_set_is_kept_in_the_address(page: Page, address: str) -> None:
    graph = opened(page, address)
    graph.get_by_role("button", name="Table").click()
    graph.get_by_role("button", name="Forbid to fuse 0.reduce → 0.subtract").click()
    assert '"from":"0.reduce"' in unquote(page.url)
    page.reload()
    expect(entries(page)).to_have_text("Apart: 0.reduce → 0.subtract")


def test_another_compilers_kernels_are_not_decided_here(page: Page, address: str) -> None:
    graph = opened(page, address)
    graph.get_by_role("slider", name="Step").press("Home")
    graph.get_by_role("button", name="Table").click()
    expect(graph.get_by_role("button", name="Forbid")).to_have_count(0)


def test_a_pass_is_switched_off_where_it_is_shown(page: Page, address: str) -> None:
    graph = opened(page, address)
    graph.get_by_role("slider", name="Step").press("ArrowLeft")
    graph.get_by_role("button", name="Switch off simplify-algebra").click()
    expect(entries(page)).to_have_text("Without simplify-algebra")


@pytest.mark.parametrize("width", [1440, 1280])
def test_the_count_of_a_pass_is_whole_beside_its_switch(
    page: Page, address: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    go(page, address)
    page.get_by_role("treeitem").filter(has_text="simplify-algebra").click()
    head = pane(page, "ir").locator(".pane-head")
    expect(head.locator(".decide")).to_be_visible()
    assert head.locator(".delta").evaluate(
        """delta => {
            const [own, room] = [delta, delta.parentElement].map(e => e.getBoundingClientRect())
            const last = document.elementFromPoint(own.right - 2, own.top + own.height / 2)
            return delta.contains(last) && own.right <= room.right
                && delta.scrollWidth <= delta.clientWidth
        }"""
    )


def test_the_name_of_a_pass_is_whole_beside_what_is_said_of_it(page: Page, compiled: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    go(page, compiled)
    page.get_by_role("treeitem").filter(has_text="no change").first.click()
    head = pane(page, "ir").locator(".pane-head")
    expect(head).to_contain_text("no text of its own")
    assert head.locator(".pane-name").evaluate("e => e.scrollWidth <= e.clientWidth")


def test_a_candidate_is_chosen_with_its_parameters(page: Page, told_address: str) -> None:
    page.goto(told_address)
    expect_state(page, "done")
    show(page, "Kernels")
    kernels = pane(page, "kernels")
    kernels.get_by_role("button", name="3 candidates").click()
    expect(kernels.get_by_role("button", name=re.compile("^Use "))).to_have_text(["Use this one"])
    kernels.get_by_label("simd").select_option("no")
    kernels.get_by_role("button", name="Use this one: rows for k0_reduce_subtract").click()
    expect(entries(page).nth(2)).to_have_text("k0_reduce_subtract: rows, simd no (CPU)")
    kernels.get_by_role("button", name="Use this one: rows.2 for k0_reduce_subtract").click()
    expect(entries(page).nth(2)).to_have_text("k0_reduce_subtract: rows, threads all (CPU)")


def test_a_run_says_what_became_of_what_it_overrides(page: Page, told_address: str) -> None:
    page.goto(told_address)
    expect_state(page, "done")
    expect(entries(page)).to_have_text(
        ["Apart: 0.divide → 1.dot_general", f"Fused: 1.dot_general → 2.maximumCPU: {REASON}"]
    )
    expect(entries(page).first.get_by_role("img", name="applied")).to_be_visible()
    expect(entries(page).last.get_by_role("img", name="refused")).to_be_visible()
    expect(tray(page).get_by_role("button", name="Run with")).to_have_count(0)
    tray(page).get_by_role("button", name="Remove Fused").click()
    expect(tray(page).get_by_role("button", name="Run with")).to_be_visible()
    tray(page).get_by_role("button", name="Keep Fused").click()
    expect(tray(page).get_by_role("button", name="Run with")).to_have_count(0)


@pytest.mark.parametrize("size", thinned(SIZES, kept=("phone",)))
def test_the_tray_and_an_edges_card_fit_and_axe_finds_nothing(
    page: Page, told_address: str, size: str
) -> None:
    sized(page, size)
    page.goto(told_address)
    show(page, "Fusion")
    expect(entries(page)).to_have_count(2)
    refused(pane(page, "fusion")).dispatch_event("click", {"bubbles": True})
    button = page.get_by_role("button", name="Forbid to fuse")
    expect(button).to_have_attribute("aria-pressed", "true")
    width, _ = SIZES[size]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []


def test_a_real_run_is_made_again_and_held_against_the_one_before(
    page: Page, live_stack: str
) -> None:
    page.goto(api.ended(live_stack, SOFTMAX, measure=False).address)
    show(page, "Fusion")
    graph = pane(page, "fusion")
    expect(hulls(graph)).to_have_count(1)
    graph.get_by_role("button", name="Table").click()
    graph.get_by_role("button", name="Forbid to fuse 1.exponential → 1.divide").click()
    tray(page).get_by_role("button", name="Run with").click()
    expect_state(page, "done")
    expect(entries(page).get_by_role("img", name="applied")).to_be_visible()
    changed = page.get_by_label("Against the run before")
    expect(changed).to_contain_text("launches1 → 2")
    expect(changed).to_contain_text("numbersright")
    page.reload()
    expect(changed).to_contain_text("launches1 → 2")
    graph.get_by_role("button", name="Table").click()
    expect(hulls(graph)).to_have_count(2)
