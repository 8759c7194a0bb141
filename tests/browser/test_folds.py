"""Unchanged lines between two texts are folded, and equal blocks but for the first, until a line
that is lit is among them."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from compiler_core import report
from compiler_core.report import Artifact, CapturedOp, Graph, Program, Report, Stage
from tests.browser.steps import lit, pane, show

COUNT = 40
BLOCKS = 12


def text(last: str) -> str:
    return "\n".join([*(f"%{i} = multiply(%{i - 1})" for i in range(1, COUNT)), last])


def of_stages(source: str, nodes: list[CapturedOp], *stages: Stage) -> bytes:
    """A report of the one program `f`."""
    graphs = [Graph(name="f", line=1)]
    program = Program("f", "torch", graphs=graphs, nodes=nodes, stages=list(stages))
    return report.encode_report(Report(snippet=report.Snippet("", source), programs=[program]))


def folded() -> bytes:
    nodes = [[i] for i in range(1, COUNT)] + [[]]
    captured = Artifact("captured", "captured", "aten", text("return"), nodes)
    sides = [
        Artifact(name, "ir", "fuselab", text(f"return {name}"), nodes)
        for name in ("before", "after")
    ]
    return of_stages(
        "f = 1\n",
        [CapturedOp(i, "multiply", 1, 1) for i in range(1, COUNT)],
        Stage("capture", "ok", 1.0, [captured], "capture"),
        Stage("simplify", "ok", 1.0, sides, "pass"),
    )


def test_a_fold_opens_over_a_line_that_is_lit(page: Page, store: Callable[..., str]) -> None:
    page.goto(store(folded()))
    folds = pane(page, "ir").locator(".cm-collapsedLines")
    expect(folds).to_have_count(1)
    show(page, "Captured")
    pane(page, "captured").locator(".cm-line").nth(4).click()
    show(page, "IR")
    expect(folds).to_have_count(0)
    expect(lit(page, "ir")).to_have_text(["%5 = multiply(%4)"])


def repeated() -> bytes:
    """Two operations to a block; those of the first line of the snippet are of every block."""
    lines = [
        f"  %{i} = {('dot', 'tanh')[i % 2]}(%{i - 1}) : f32[4]" for i in range(2, 2 + 2 * BLOCKS)
    ]
    nodes = [[i] for i in range(2 * BLOCKS)]
    ir = "\n".join(["graph f(%1: f32[4]) {", *lines, "}"])
    captured = Artifact("captured", "captured", "python", "\n".join(lines), nodes)
    first = Artifact("ir", "ir", "fuselab", ir, [[], *nodes, []])
    return of_stages(
        "f = 1\ng = 2\n",
        [CapturedOp(i, "op", 1 + i % 2, 1) for i in range(2 * BLOCKS)],
        Stage("capture", "ok", 1.0, [captured, first], "capture"),
    )


def test_equal_blocks_are_shown_once_until_one_of_them_is_meant(
    page: Page, store: Callable[..., str]
) -> None:
    page.goto(store(repeated()))
    folds, lines = (
        pane(page, "ir").locator(".cm-collapsedLines"),
        pane(page, "ir").locator(".cm-line"),
    )
    expect(folds).to_have_text("… 22 lines: the 2 above, 11 times more …")
    expect(lines).to_have_count(4)
    pane(page, "source").locator(".cm-line").first.click()
    expect(lit(page, "ir")).to_have_text(["  %2 = dot(%1) : f32[4]"])
    expect(folds).to_have_count(1)
    show(page, "Captured")
    pane(page, "captured").locator(".cm-line").nth(9).click()
    show(page, "IR")
    expect(folds).to_have_count(0)
    expect(lit(page, "ir")).to_have_text(["  %11 = tanh(%10) : f32[4]"])


def test_what_was_unfolded_is_folded_again(page: Page, store: Callable[..., str]) -> None:
    page.goto(store(repeated()))
    fold, lines = (
        pane(page, "ir").get_by_role("button", name="22 lines: the 2 above"),
        pane(page, "ir").locator(".cm-line"),
    )
    fold.focus()
    for count in (4 + 22, 4):
        page.keyboard.press("Enter")
        expect(lines).to_have_count(count)
        expect(fold).to_be_focused()
        expect(fold).to_have_attribute("aria-expanded", str(count > 4).lower())
