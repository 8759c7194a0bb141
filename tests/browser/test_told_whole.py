"""What a person is told at a glance: whole, and by the name that its tab has."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from compiler_core import report
from tests.browser.axe import sized
from tests.browser.steps import expect_state, go, pane, show

CUT = """all => all
    .filter(e => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight)
    .map(e => e.textContent)"""
# As a program with products has it.
LONG = (
    "529 operations in 98 groups; 73 more (dot_general, convolution and others) left to the "
    "schedule stage"
)


@pytest.fixture
def page(kept_page: Page) -> Page:
    sized(kept_page, "desk")
    return kept_page


def test_what_was_fused_is_read_whole_in_the_list_of_stages(
    page: Page, store: Callable[..., str]
) -> None:
    fused = [
        report.Stage("fuse", "ok", 999.0, kind="fuse", backend=plan, summary=LONG)
        for plan in ("cpu", "gpu")
    ]
    program = report.Program("f", "torch", backend="cpu", stages=fused)
    go(page, store(report.encode_report(report.Report(programs=[program]))))
    expect_state(page, "done")
    told = pane(page, "stages").locator(".stage-summary").filter(has_text=LONG)
    expect(told).to_have_count(2)
    assert told.evaluate_all(CUT) == []


def test_what_a_pass_did_is_read_whole_in_the_list_of_stages(
    page: Page, store: Callable[..., str]
) -> None:
    said = [
        "57 rewrites, 240 → 183 operations",
        "all within tolerance, also with NaN and infinities",
    ]
    ir = [report.Artifact(when, "ir", "fuselab", when) for when in ("before", "after")]
    stages = [
        report.Stage("common-subexpressions", "ok", 120.0, ir, kind="pass", summary=said[0]),
        report.Stage("numerics", "ok", 999.0, kind="numerics", summary=said[1]),
    ]
    program = report.Program("f", "torch", backend="cpu", stages=stages)
    go(page, store(report.encode_report(report.Report(programs=[program]))))
    expect_state(page, "done")
    told = pane(page, "stages").locator(".stage-summary")
    expect(told).to_have_text(["57 rewrites, 240 → 183 ops", said[1]])
    assert told.evaluate_all(CUT) == []
    # Beside the name, not under each other word by word.
    lines = "e => e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight)"
    assert told.first.evaluate(lines) < 2.5


def test_machine_code_is_called_in_the_trail_as_on_its_tab(page: Page, compiled: str) -> None:
    go(page, compiled)
    expect_state(page, "done")
    show(page, "PTX")
    pane(page, "source").locator(".cm-line").filter(has_text="F.gelu").click()
    trail = page.get_by_role("navigation", name="What is selected")
    expect(trail).to_contain_text("ptx:")
    expect(trail).not_to_contain_text("assembly")
