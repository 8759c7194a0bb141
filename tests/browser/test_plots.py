"""Plots with what they are made of: compile time, roofline, error by kernel, eager's memory, the
protocol; each as a drawing and as numbers to keep."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs
from playwright.sync_api import Page, expect

from compiler_core import report
from compiler_core.report import (
    Buffer,
    CompilerSummary,
    ErrorSize,
    Graph,
    Kernel,
    KernelError,
    Numerics,
    Phase,
    ScheduleCandidate,
)
from tests.browser.others import opened_up
from tests.browser.steps import expect_state, lit, pane, show
from tests.browser.test_verdict import MEASURED, TIMINGS

KERNELS = [
    Kernel("k0_add", "loop", None, ["add"], 4096, 4096, [5], [0], 2048, backend="cpu",
           candidates=[ScheduleCandidate("a row a thread", cost_us=2.0, chosen=True)]),
    Kernel("k1_mul", "loop", None, ["mul"], 4096, 4096, [6], [1], 16384, backend="cpu",
           candidates=[ScheduleCandidate("a row a thread", cost_us=1.0, chosen=True)]),
]  # fmt: skip
SIZE = ErrorSize(1e-6, 2e-7, 1.5, 12, [0], 1.0, 1.0000002)
ERRORS = [KernelError("k0_add", "b1", "f32[1024]", SIZE, SIZE, None, None, backend="cpu")]


@pytest.fixture(scope="module")
def address(store: Callable[[bytes], str]) -> str:
    measured = structs.replace(MEASURED, bandwidth=1e10, flops=1e11)
    phases = [Phase("capture", 8.0), Phase("codegen", 90.0)]
    found = opened_up(
        kernels=KERNELS,
        backend="cpu",
        kernel_errors=ERRORS,
        timings={name: structs.replace(t, samples_us=[t.median_us]) for name, t in TIMINGS.items()},
        numerics={"eager": Numerics(1e-6, 2e-7, True)},
        measurement=measured,
        compilers=[CompilerSummary("core", phases=phases)],
        graphs=[Graph(name="f", line=4, held_eager=[4096, 8192], weight_bytes=2**20)],
        buffers=[Buffer("b1", "f32[1024]", 4096, 0, 0, 1, [0], backend="cpu")],
    )
    return store(report.encode_report(found))


@pytest.fixture(scope="module")
def shown(kept_page: Page, address: str) -> Page:
    kept_page.goto(address)
    expect_state(kept_page, "done")
    return kept_page


def test_the_protocol_is_chips(shown: Page):
    show(shown, "Timings")
    chips = pane(shown, "timings").get_by_role("list", name="How it was measured")
    expect(chips.get_by_role("listitem").first).to_have_text(
        "against PyTorch, operation by operation"
    )
    expect(chips).to_contain_text("96 rounds in 12 blocks over 2.0 s")


def test_compile_time_is_one_bar_with_a_piece_a_phase(shown: Page):
    show(shown, "Timings")
    bar = pane(shown, "timings").get_by_role("region", name="Compile time")
    pieces = bar.locator(".piece rect")
    expect(pieces).to_have_count(2)
    capture, codegen = (box.bounding_box() for box in pieces.all())
    assert capture and codegen
    assert capture["x"] + capture["width"] <= codegen["x"]
    assert codegen["width"] > 8 * capture["width"]


def test_a_dot_under_the_roof_is_a_kernel(shown: Page):
    show(shown, "Kernels")
    roofline = pane(shown, "kernels").get_by_role("region", name="Roofline")
    expect(roofline.locator(".dot")).to_have_count(2)
    expect(roofline.locator(".roof")).to_have_count(1)
    drawing, lowest = roofline.locator("figure > svg"), roofline.locator("text[x='-8']").first
    whole, name = drawing.bounding_box(), lowest.bounding_box()
    assert whole and name
    assert name["y"] + name["height"] <= whole["y"] + whole["height"] + 1
    roofline.get_by_role("button", name="k0_add").press("Enter")
    expect(lit(shown, "source")).to_have_text(["    y = x + b"])


def test_errors_by_kernel_stand_on_one_scale(shown: Page):
    show(shown, "Numerics")
    plot = pane(shown, "numerics").get_by_role("group", name="Relative error by kernel")
    expect(plot.locator(".error-row")).to_have_count(1)
    expect(plot.locator("circle.own")).to_have_count(1)


def test_eagers_memory_stands_behind_the_plan_and_weights_apart(shown: Page):
    show(shown, "Memory")
    memory = pane(shown, "memory")
    eager, buffer = memory.locator(".eager-memory"), memory.locator(".memory rect")
    behind, before = eager.bounding_box(), buffer.bounding_box()
    assert behind and before
    assert behind["height"] == pytest.approx(2 * before["height"], rel=0.05)
    expect(memory.locator("figcaption")).to_contain_text("eager holds during its 2 operations")
    expect(memory.locator("figcaption")).to_contain_text("weights 1.00\u00a0MiB")


@pytest.mark.parametrize(
    ("title", "name"),
    [("Timings", "timings"), ("Timings", "compile-time"), ("Kernels", "roofline"),
     ("Numerics", "error-by-kernel"), ("Memory", "memory")],
)  # fmt: skip
def test_a_plot_is_kept_as_a_drawing_and_as_numbers(shown: Page, title: str, name: str):
    show(shown, title)
    for ending, start in (("SVG", "<svg"), ("CSV", "")):
        with shown.expect_download() as kept:
            shown.get_by_role("button", name=f"Download {name} as {ending}").click()
        assert kept.value.suggested_filename == f"{name}.{ending.lower()}"
        text = Path(kept.value.path()).read_text(encoding="utf-8")
        assert text.startswith(start) and len(text.splitlines()) > (0 if start else 1)
