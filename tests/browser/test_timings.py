"""The plot of samples: whatever it says is within it."""

from collections.abc import Callable

from msgspec import structs
from playwright.sync_api import Page, expect

from compiler_core import report
from tests.browser.steps import pane, show
from tests.several_graphs import whole

# The last stretches the axis beyond use, and the one before it ends near the axis's end.
SAMPLES = [10.0, 11.0, 13.4, 40.0, 900.0]


def test_count_of_slower_samples_is_not_cut_off(page: Page, store: Callable[[bytes], str]) -> None:
    found = whole()
    timings = found.programs[0].timings
    figures = {"median_us": 11.0, "p25_us": 10.0, "p75_us": 13.4, "samples_us": SAMPLES}
    found.programs[0].timings = {n: structs.replace(t, **figures) for n, t in timings.items()}
    page.goto(store(report.encode_report(found)))
    show(page, "Timings")
    label = pane(page, "timings").locator("text", has_text="+1 slower").first
    expect(label).to_be_visible()
    text, plot = label.bounding_box(), pane(page, "timings").locator("svg").first.bounding_box()
    assert text and plot
    assert text["x"] + text["width"] <= plot["x"] + plot["width"]


def test_a_verdict_of_several_words_leaves_the_table_its_last_column(
    page: Page, store: Callable[[bytes], str]
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    found = whole()
    ratio = {"speedup": 0.89, "speedup_low": 0.31, "speedup_high": 2.92}
    compiling = {"capture_ms": 2900.0, "compile_ms": 20_000.0, "first_call_ms": 23_000.0}
    times = {"p25_us": 1080.0, "median_us": 2080.0, "p75_us": 5180.0}
    figures = {**ratio, **compiling, **times, "verdict": "same within noise"}
    timings = found.programs[0].timings
    timings["inductor"] = timings["core"]
    found.programs[0].timings = {n: structs.replace(t, **figures) for n, t in timings.items()}
    page.goto(store(report.encode_report(found)))
    show(page, "Timings")
    table = pane(page, "timings").locator(".timing-table")
    expect(table).to_contain_text("same within noise")
    assert table.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_a_mode_of_a_compiler_has_a_row_of_its_own(
    page: Page, store: Callable[[bytes], str]
) -> None:
    found = whole()
    timings = found.programs[0].timings
    timings["inductor:max-autotune"] = structs.replace(timings["core"], median_us=4.0)
    page.goto(store(report.encode_report(found)))
    show(page, "Timings")
    timings_pane = pane(page, "timings")
    expect(timings_pane.get_by_role("rowheader", name="TorchInductor max-autotune")).to_be_visible()
    label = timings_pane.locator("text.compiler", has_text="max-autotune")
    expect(label).to_be_visible()
    text, plot = label.bounding_box(), timings_pane.locator("svg").first.bounding_box()
    assert text and plot and text["x"] >= plot["x"]
