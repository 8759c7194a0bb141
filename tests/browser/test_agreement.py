"""What every compiler made of each edge of the captured graph, and what each came to in all."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from compiler_core import report
from compiler_core.report import (
    CapturedOp,
    CompilerSummary,
    Figure,
    FusionDecision,
    Kernel,
    Numerics,
    Read,
    Timing,
)
from tests.browser.others import opened_up
from tests.browser.steps import expect_state, lit, pane, show

NODES = [
    CapturedOp(0, "add", 5, 8),
    CapturedOp(1, "mul", 6, 11, reads=[Read(0, 8192)]),
    CapturedOp(2, "tanh", 6, 11, reads=[Read(1, 4096)]),
]
KERNELS = [Kernel("k0_add_mul", "elementwise", None, ["add", "mul", "tanh"], 8, 8, [5], [0, 1, 2])]
DECISIONS = [
    FusionDecision("xla", "add.1", "mul.2", False, "too large", [0], [1]),
    FusionDecision("xla", "mul.2", "tanh.3", True, "loop", [1], [2]),
]
FIGURES = [CompilerSummary("xla", launches=Figure(4), peak_bytes=Figure(why="XLA does not say"))]
TIMES = {"xla": Timing(12.0, 11.0, 13.0, 9, compile_ms=30.0)}


@pytest.fixture
def table(page: Page, store: Callable[..., str]) -> Locator:
    told = opened_up(
        nodes=NODES,
        kernels=KERNELS,
        fusion_decisions=DECISIONS,
        timings=TIMES,
        numerics={"xla": Numerics(1e-7, 1e-7, True)},
        compilers=FIGURES,
    )
    page.goto(store(report.encode_report(told)))
    expect_state(page, "done")
    show(page, "Agreement")
    return pane(page, "agreement")


def rows(table: Locator) -> Locator:
    return table.locator("tbody tr[aria-rowindex]")


def test_edges_stand_in_the_order_of_what_would_be_saved(page: Page, table: Locator) -> None:
    expect(table.get_by_role("columnheader")).to_contain_text(
        ["From", "To", "Bytes", "Would save", "core", "XLA"]
    )
    first = rows(table).first
    for text in ("add", "mul", "8.00\u00a0KiB", "fused: k0_add_mul", "not fused: too large"):
        expect(first).to_contain_text(text)
    first.click()
    expect(lit(page, "source")).to_have_count(2)


def test_those_that_differ_are_shown_alone(table: Locator) -> None:
    expect(rows(table)).to_have_count(2)
    table.get_by_label("Only where they differ").check()
    expect(rows(table)).to_have_count(1)


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720)])
def test_every_compiler_is_in_sight_beside_the_others_and_a_reason_below(
    page: Page, store: Callable[..., str], size: tuple[int, int]
) -> None:
    why = "its loops are of other sizes, and to bring them together it would have to do them again"
    refused = [
        FusionDecision(compiler, "add", "mul", False, why, [0], [1])
        for compiler in ("inductor", "xla")
    ]
    long = opened_up(nodes=NODES, kernels=KERNELS, fusion_decisions=refused)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(store(report.encode_report(long)))
    show(page, "Agreement")
    shown = pane(page, "agreement")
    expect(shown.get_by_role("columnheader", name="XLA")).to_be_in_viewport(ratio=1)
    assert shown.locator(".grid-scroll").evaluate("e => e.scrollWidth <= e.clientWidth")
    rows(shown).first.click()
    expect(shown.locator(".whole dd", has_text=why).first).to_be_in_viewport()
    expect(rows(shown).first).to_be_in_viewport(ratio=1)


def test_on_a_phone_the_compilers_stand_beside_the_edge(
    page: Page, store: Callable[..., str]
) -> None:
    """Three of them are in sight, and the edge still is where the bytes are scrolled to."""
    others = [
        FusionDecision(compiler, "add", "mul", False, "too large", [0], [1])
        for compiler in ("inductor", "xla")
    ]
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(
        store(
            report.encode_report(opened_up(nodes=NODES, kernels=KERNELS, fusion_decisions=others))
        )
    )
    show(page, "Agreement")
    shown = pane(page, "agreement")
    for title in ("core", "TorchInductor", "XLA"):
        expect(shown.get_by_role("columnheader", name=title)).to_be_in_viewport(ratio=1)
    bytes_ = shown.get_by_role("columnheader", name="Would save")
    bytes_.scroll_into_view_if_needed()
    expect(bytes_).to_be_in_viewport(ratio=1)
    edge = rows(shown).first.locator("td").first
    expect(edge).to_have_text("add → mul")
    expect(edge).to_be_in_viewport(ratio=1)


def test_each_compiler_has_a_row(table: Locator) -> None:
    table.get_by_role("button", name="Compilers").click()
    xla = table.get_by_role("row", name="XLA")
    for text in ("4", "30.0\u00a0ms", "12.0\u00a0µs", "1.0e-7"):
        expect(xla).to_contain_text(text)
    expect(xla.get_by_title("XLA does not say")).to_have_text("–")
