"""The lanes of a call: chosen by pointer and keys, made larger, kept as a trace."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from compiler_core import report
from tests.browser.others import LANES, opened_up
from tests.browser.steps import expect_state, lit, pane, show


@pytest.fixture(scope="module")
def timeline(kept_page: Page, store: Callable[..., str]) -> Locator:
    kept_page.goto(store(report.encode_report(opened_up(timelines=LANES))))
    expect_state(kept_page, "done")
    show(kept_page, "Timeline")
    return pane(kept_page, "timeline")


def test_lanes_stand_on_one_scale_with_what_the_profiler_added(timeline: Locator) -> None:
    expect(timeline.get_by_role("option")).to_have_count(3)
    figures = timeline.locator("svg g[role=group]").first.locator(".chip")
    expect(figures).to_have_text(
        ["100\u00a0µs", "30.0\u00a0µs nothing known", "80.0\u00a0µs unprofiled"]
    )
    # All at one moment: the plot takes its width from the pane.
    width = "all => all.map(e => e.getBoundingClientRect().width)"
    add, _, core = timeline.get_by_role("option").evaluate_all(width)
    assert core / add == pytest.approx(40 / 30, rel=0.02)


def test_an_event_lights_up_its_lines_and_the_keys_lead_on(
    kept_page: Page, timeline: Locator
) -> None:
    timeline.get_by_role("option", name="aten.add").click()
    expect(lit(kept_page, "source")).to_have_text(["    y = x + b"])
    plot = timeline.get_by_role("listbox")
    plot.focus()
    kept_page.keyboard.press("ArrowRight")
    expect(lit(kept_page, "source")).to_have_text(["    return y * y"])
    expect(timeline.locator(".event-text")).to_contain_text("aten.mul, library call")
    kept_page.keyboard.press("ArrowDown")
    expect(timeline.get_by_role("option", name="k0")).to_have_attribute("aria-selected", "true")
    expect(lit(kept_page, "source")).to_have_count(2)


def drawn(page: Page, event: Locator) -> float:
    """The width of an event once the plot has that of its pane."""
    widths = [-1.0, float(event.get_attribute("width") or 0)]
    while widths[-1] != widths[-2]:
        page.wait_for_timeout(200)
        widths.append(float(event.get_attribute("width") or 0))
    return widths[-1]


def test_a_part_of_the_call_is_made_larger(kept_page: Page, timeline: Locator) -> None:
    mul = timeline.get_by_role("option", name="aten.mul")
    timeline.get_by_role("listbox").focus()
    kept_page.keyboard.press("0")
    width = drawn(kept_page, mul)
    timeline.get_by_role("button", name="Shorter part").click()
    expect(mul).not_to_have_attribute("width", str(width))
    assert float(mul.get_attribute("width") or 0) > width
    timeline.get_by_role("listbox").focus()
    kept_page.keyboard.press("0")
    expect(mul).to_have_attribute("width", str(width))


LOOK = """() => ['.call', '.event', '.tick', '.chip'].map(each => {
    const {fill, fontFamily, fontSize, height} = getComputedStyle(document.querySelector(each));
    return [fill, fontFamily, fontSize, height];
})"""


def test_the_lanes_are_kept_as_a_drawing_that_looks_as_they_do(
    kept_page: Page, timeline: Locator
) -> None:
    with kept_page.expect_download() as kept:
        timeline.get_by_role("button", name="Download timeline as SVG").click()
    assert kept.value.suggested_filename == "timeline.svg"
    drawing = Path(kept.value.path()).read_text(encoding="utf-8")
    alone = kept_page.context.new_page()
    alone.set_content(drawing)
    assert alone.evaluate(LOOK) == kept_page.evaluate(LOOK)
    alone.close()


def test_all_events_are_a_table_and_a_trace(
    kept_page: Page, timeline: Locator, tmp_path: Path
) -> None:
    rows = timeline.locator("tbody tr[aria-rowindex]")
    expect(rows).to_have_count(3)
    rows.filter(has_text="aten.mul").click()
    expect(lit(kept_page, "source")).to_have_text(["    return y * y"])
    with kept_page.expect_download() as download:
        timeline.get_by_role("button", name="Chrome trace").click()
    download.value.save_as(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert [e["name"] for e in events if e.get("cat") == "kernel"] == ["k0_add_mul"]


def test_where_the_system_chooses_the_colours_the_legend_keeps_its_own(
    kept_page: Page, timeline: Locator
) -> None:
    kept_page.emulate_media(forced_colors="active")
    colour = "e => getComputedStyle(e).backgroundColor"
    kinds = (timeline.locator(f".legend .swatch.{kind}") for kind in ("kernel", "library"))
    kernel, library = (each.evaluate(colour) for each in kinds)
    adjusted = timeline.locator(".legend .swatch").first.evaluate(
        "e => getComputedStyle(e).forcedColorAdjust"
    )
    kept_page.emulate_media(forced_colors="none")
    assert kernel != library and adjusted == "none"
