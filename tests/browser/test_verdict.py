"""The strip above the panes: times with intervals, whoever else was measured, who is fastest."""

from collections.abc import Callable

import pytest
from msgspec import structs
from playwright.sync_api import Locator, Page, expect

from compiler_core import report
from compiler_core.report import GraphBreak, Kernel, Measurement, Numerics, Program, Timing
from tests.browser.others import opened_up
from tests.browser.steps import RUN_MS, expect_state, new, pane, run

TIMINGS = {
    "eager": Timing(5530.0, 5500.0, 5600.0, 96),
    "core": Timing(5110.0, 5000.0, 5200.0, 96, None, None, None, 1.08, 0.81, 1.34,
                   "same within noise"),
    "xla": Timing(4810.0, 4800.0, 4900.0, 96, None, None, None, 1.15, 1.10, 1.20, "faster"),
}  # fmt: skip
MEASURED = Measurement(
    "PyTorch, operation by operation", ["xla"], 96, 12, 2.0, 2, 2, 0.05, floor_us=100.0,
    floor_by="1 MiB to be moved", notes=["one call a sample"],
)  # fmt: skip
SUMMARY = report.Summary(6, 6, 12, 3, 96 * 2**20, 24 * 2**20, 1.0)


def measured(**facts: object) -> bytes:
    known = {"timings": TIMINGS, "measurement": MEASURED, "summary": SUMMARY, "framework": "torch"}
    found = opened_up(**{**known, **facts})
    return report.encode_report(found)


def strip(page: Page) -> Locator:
    return page.get_by_role("region", name="Verdict")


@pytest.fixture(scope="module")
def verdict(kept_page: Page, store: Callable[..., str]) -> Locator:
    kept_page.goto(store(measured()))
    expect_state(kept_page, "done")
    return strip(kept_page)


def test_the_cores_figure_stands_with_its_interval_and_with_the_others_times(verdict: Locator):
    times = verdict.locator(".strip-times")
    expect(times).to_contain_text("eager 5.53\u00a0ms")
    expect(times).to_contain_text("core 5.11\u00a0ms 1.08× [0.81, 1.34] same within noise")
    expect(times).to_contain_text("XLA 4.81\u00a0ms 1.15× [1.10, 1.20] fastest")
    expect(verdict.locator(".lead")).to_have_count(1)


def test_launches_and_bytes_are_bars_before_and_after(verdict: Locator):
    expect(verdict.locator(".strip-bars")).to_have_text(
        ["launches 12 → 3", "bytes 96.0\u00a0MiB → 24.0\u00a0MiB"]
    )
    before, after = (
        verdict.locator(".strip-bars").first.locator(f"rect.{part}").bounding_box()
        for part in ("before", "after")
    )
    assert before and after
    assert after["width"] == pytest.approx(before["width"] / 4, abs=1)


def test_what_eager_is_of_a_jax_program_stands_in_its_place(page: Page, store: Callable):
    baseline = structs.replace(MEASURED, baseline="JAX without jit, operation by operation")
    page.goto(store(measured(framework="jax", measurement=baseline)))
    first = strip(page).locator(".part").first
    expect(first).to_contain_text("op by op 5.53")
    expect(first).to_have_attribute("title", "JAX without jit, operation by operation")


def test_a_busy_machine_turns_it_amber_and_it_is_measured_again(page: Page):
    run(page, new("import torch\n# inputs: f32[64,64]\ndef f(x):\n    return x.tanh() * 2\n"),
        measured=True)  # fmt: skip
    address = page.url
    strip(page).get_by_role("button", name="Measure again").click()
    page.wait_for_url(lambda url: url != address and "/r/" in url)
    expect_state(page, "done")
    expect(strip(page).locator(".strip-times")).to_contain_text("core", timeout=RUN_MS)


def test_a_busy_machine_is_said(page: Page, store: Callable):
    page.goto(store(measured(measurement=structs.replace(MEASURED, busy=True, others=0.94))))
    expect(strip(page)).to_have_class("verdict-strip busy")
    expect(strip(page)).to_contain_text("machine busy: others took 0.9 of 2 processors")


def test_a_refused_figure_is_none(page: Page, store: Callable):
    refused = structs.replace(TIMINGS["xla"], verdict="below the physical floor", speedup=None)
    wrong = {"core": Numerics(1.0, 1.0, False)}
    page.goto(store(measured(timings=TIMINGS | {"xla": refused}, numerics=wrong)))
    expect(strip(page)).to_contain_text("core wrong result")
    expect(strip(page)).to_contain_text("XLA below the physical floor")
    expect(strip(page)).not_to_contain_text("1.08×")


def test_of_what_is_not_compiled_it_is_said_why(page: Page, store: Callable):
    bare = structs.replace(TIMINGS["core"], verdict="not compiled", speedup=None)
    breaks = [GraphBreak("within a loop: TorchDynamo leaves all of f to Python", 5)]
    page.goto(store(measured(timings=TIMINGS | {"core": bare}, graph_breaks=breaks)))
    expect(strip(page)).to_contain_text("core not compiled")
    strip(page).get_by_role("button", name="Python runs all of it").click()
    expect(pane(page, "why")).to_contain_text("TorchDynamo leaves all of f to Python")


@pytest.mark.parametrize("width", [390, 700, 1280])
def test_nothing_of_it_is_cut_at_any_width(page: Page, store: Callable, width: int):
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme="dark", forced_colors="active")
    loop = [Kernel(f"k0_{kind}", kind, None, [], 8, 8, [1]) for kind in ("scan", "row")]
    busy = structs.replace(MEASURED, busy=True, others=0.94)
    page.goto(store(measured(measurement=busy, kernels=loop)))
    expect(strip(page)).to_contain_text("12 → 3 (1 in the code, those in a loop at each turn)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for part in strip(page).locator(".part, .strip-bars, button").all():
        box = part.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= width
    lengths = [svg.bounding_box() for svg in strip(page).locator(".strip-bars svg").all()]
    assert len({each["width"] for each in lengths if each}) == 1, "bars are of one scale"


def test_its_bars_stand_beside_each_other_at_any_width(page: Page, store: Callable):
    page.goto(store(measured(timings=TIMINGS | {"inductor": TIMINGS["xla"]})))
    bars = strip(page).locator(".strip-bars")
    expect(bars).to_have_count(2)
    for width in range(800, 1500, 50):
        page.set_viewport_size({"width": width, "height": 844})
        places = [bar.bounding_box() for bar in bars.all()]
        assert len({place["y"] for place in places if place}) == 1, width


def test_an_old_report_has_times_without_a_fastest(page: Page, store: Callable):
    old: Program = report.decode_report(measured(measurement=None)).programs[0]
    assert old.measurement is None
    page.goto(store(measured(measurement=None)))
    expect(strip(page)).to_contain_text("XLA 4.81")
    expect(strip(page).locator(".lead")).to_have_count(0)


def test_on_a_phone_what_is_cut_says_so_and_is_shown_when_asked(page: Page, store: Callable):
    page.set_viewport_size({"width": 390, "height": 844})
    many = dict.fromkeys(("inductor", "inductor:max-autotune", "iree", "tvm"), TIMINGS["xla"])
    page.goto(store(measured(timings=TIMINGS | many)))
    more = page.get_by_role("button", name="All of the verdict")
    expect(more).to_have_attribute("aria-expanded", "false")
    last = strip(page).get_by_role("button", name="Measure again")
    expect(last).not_to_be_in_viewport()
    more.click()
    expect(last).to_be_in_viewport()
    page.get_by_role("button", name="Less").click()
    expect(more).to_be_visible()


def test_on_a_phone_lines_are_seen_whole_or_not_at_all(page: Page, store: Callable):
    page.set_viewport_size({"width": 390, "height": 844})
    many = dict.fromkeys(("inductor", "inductor:max-autotune", "iree", "tvm"), TIMINGS["xla"])
    page.goto(store(measured(timings=TIMINGS | many)))
    below = page.get_by_role("button", name="All of the verdict").bounding_box()
    assert below
    parts = strip(page).locator(".time, .ratio, .lead, .strip-bars, button").all()
    ends = [(box["y"], box["y"] + box["height"]) for part in parts if (box := part.bounding_box())]
    assert any(end <= below["y"] for _, end in ends) and any(top >= below["y"] for top, _ in ends)
    assert [end for top, end in ends if top < below["y"] - 1 and end > below["y"] + 1] == []


def test_on_a_phone_a_warning_of_two_lines_is_not_cut_between_them(page: Page, store: Callable):
    page.set_viewport_size({"width": 390, "height": 844})
    busy = structs.replace(MEASURED, busy=True, others=1.4)
    page.goto(store(measured(measurement=busy)))
    below = page.get_by_role("button", name="All of the verdict").bounding_box()
    note = strip(page).locator(".busy-note").bounding_box()
    assert below and note and note["height"] > 30
    assert note["y"] + note["height"] <= below["y"] or note["y"] >= below["y"] - 1


def test_on_a_phone_launches_and_bytes_are_one_line(page: Page, store: Callable):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(store(measured()))
    bars = strip(page).locator(".strip-bars")
    expect(bars).to_have_count(2)
    launches, moved = (bar.bounding_box() for bar in bars.all())
    assert launches and moved and launches["y"] == moved["y"]


def test_what_is_seen_whole_has_no_button_for_more(page: Page, store: Callable):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(store(measured()))
    expect(strip(page)).to_be_visible()
    expect(page.get_by_role("button", name="All of the verdict")).to_have_count(0)
