"""A program of several graphs and plans: shown in order, chosen one at a time, linked across."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from compiler_core import report
from tests.browser.axe import SIZES, sized, violations
from tests.browser.graph_panes import graph, graphs, kernels, stages
from tests.browser.steps import go, lit, pane, show
from tests.several_graphs import whole
from tests.sweep_plugin import thinned


@pytest.fixture(scope="module")
def address(store: Callable[[bytes], str]) -> str:
    """A run of two programs: "gated" in two pieces, and "step" with a backward graph."""
    return store(report.encode_report(whole()))


@pytest.fixture
def gated(kept_page: Page, address: str) -> Page:
    go(kept_page, address)
    expect(graphs(kept_page)).to_be_visible()
    return kept_page


@pytest.fixture
def step(kept_page: Page, address: str) -> Page:
    go(kept_page, f"{address}#program=1")
    expect(graphs(kept_page)).to_be_visible()
    return kept_page


def plan(page: Page, name: str, label: str) -> Locator:
    return pane(page, name).get_by_role("group", name="Plan").get_by_role("button", name=label)


def test_graphs_are_in_order_with_the_python_between_by_line(gated: Page) -> None:
    parts = graphs(gated).get_by_role("listitem")
    expect(parts).to_have_text(
        [
            re.compile("Whole program.*2 graphs"),
            re.compile("piece 1 of 2.*line 6"),
            re.compile(r"if y.sum\(\) > 0.*Python · lines 7–8 · the condition depends"),
            re.compile("piece 2 of 2.*line 9"),
        ]
    )


def test_python_between_leads_to_its_line(gated: Page) -> None:
    graphs(gated).get_by_role("button", name=re.compile("lines 7–8")).click()
    active = pane(gated, "source").locator(".cm-activeLine")
    expect(active).to_have_text("    if y.sum() > 0:")


def test_whole_program_is_shown_at_first(gated: Page) -> None:
    expect(graph(gated, "Whole program")).to_have_attribute("aria-pressed", "true")
    expect(stages(gated)).to_have_count(13)
    groups = gated.get_by_role("tree", name="Stages").get_by_role("group")
    names = [groups.nth(i).get_attribute("aria-label") for i in range(groups.count())]
    assert names == ["piece 1 of 2", "piece 2 of 2", "whole program"]


def test_chosen_graph_is_all_that_is_shown(gated: Page) -> None:
    show(gated, "Kernels")
    expect(kernels(gated)).to_have_count(4)
    graph(gated, "piece 2").click()
    expect(graph(gated, "piece 2")).to_have_attribute("aria-pressed", "true")
    expect(stages(gated)).to_have_count(6)
    expect(kernels(gated)).to_have_count(2)
    expect(pane(gated, "kernels").get_by_role("heading", name="Not fused (2)")).to_be_visible()
    expect(pane(gated, "triton")).to_contain_text("piece2_k0")
    show(gated, "Memory")
    expect(pane(gated, "memory").get_by_role("table")).to_have_count(2)
    graph(gated, "Whole program").click()
    expect(pane(gated, "memory").get_by_role("table")).to_have_count(4)


def test_link_opens_at_the_graph_and_plan_that_were_shown(gated: Page) -> None:
    graph(gated, "piece 2").click()
    plan(gated, "stages", "GPU").click()
    other = gated.context.new_page()
    other.goto(gated.url)
    expect(graph(other, "piece 2")).to_have_attribute("aria-pressed", "true")
    expect(plan(other, "stages", "GPU")).to_have_attribute("aria-pressed", "true")
    expect(stages(other)).to_have_count(4)
    other.close()


def test_graphs_are_chosen_by_keyboard(gated: Page) -> None:
    gated.get_by_role("tree", name="Stages").focus()
    gated.keyboard.press("}")
    expect(graph(gated, "piece 1")).to_have_attribute("aria-pressed", "true")
    gated.keyboard.press("}")
    gated.keyboard.press("}")
    expect(graph(gated, "piece 2")).to_have_attribute("aria-pressed", "true")
    gated.keyboard.press("{")
    gated.keyboard.press("{")
    expect(graph(gated, "Whole program")).to_have_attribute("aria-pressed", "true")
    graph(gated, "piece 1").focus()
    gated.keyboard.press("Enter")
    expect(graph(gated, "piece 1")).to_have_attribute("aria-pressed", "true")


def test_line_lights_up_in_all_graphs_that_it_is_in(step: Page) -> None:
    pane(step, "source").locator(".cm-line", has_text="torch.sigmoid").click()
    for name in ("forward", "backward"):
        graph(step, name).click()
        show(step, "Triton")
        expect(pane(step, "triton")).to_contain_text(f"{name}_k0")
        expect(lit(step, "triton").first).to_be_visible()


def test_what_is_kept_for_the_backward_pass_is_listed_in_bytes(step: Page) -> None:
    expect(graph(step, "forward")).to_contain_text("keeps 256 KiB")
    show(step, "Memory")
    kept = pane(step, "memory").locator("section", has_text="Kept by forward")
    expect(kept.get_by_role("row", name=re.compile("^sigmoid"))).to_contain_text("128 KiB")
    expect(kept).to_contain_text("2 values, 256 KiB in all")
    graph(step, "backward").click()
    expect(kept).to_have_count(0)


def test_plans_are_switched_and_the_one_that_ran_is_said(step: Page) -> None:
    show(step, "Kernels")
    expect(plan(step, "kernels", "CPU")).to_have_text("CPU ran")
    expect(plan(step, "kernels", "GPU")).to_have_text("GPU")
    expect(plan(step, "kernels", "both")).to_have_attribute("aria-pressed", "true")
    expect(kernels(step)).to_have_count(5)
    plan(step, "kernels", "CPU").click()
    expect(kernels(step)).to_have_count(3)
    expect(pane(step, "kernels")).to_contain_text("cpu: 4.0 us more")
    expect(pane(step, "kernels")).not_to_contain_text("gpu: 4.0 us more")
    expect(stages(step)).to_have_count(9)
    show(step, "Memory")
    expect(plan(step, "memory", "CPU")).to_have_attribute("aria-pressed", "true")
    plan(step, "memory", "GPU").click()
    expect(pane(step, "memory").get_by_role("heading", name="forward GPU")).to_be_visible()
    expect(pane(step, "memory").get_by_role("heading", name="forward CPU")).to_have_count(0)


def test_registers_are_those_of_the_plan_that_has_them(step: Page) -> None:
    show(step, "Kernels")
    plan(step, "kernels", "GPU").click()
    expect(kernels(step).first).to_contain_text("24")
    plan(step, "kernels", "CPU").click()
    expect(kernels(step).first).not_to_contain_text("24")


def test_launch_shows_its_schedule_and_the_candidates_with_their_cost(gated: Page) -> None:
    show(gated, "Kernels")
    first = kernels(gated).first
    expect(first).to_contain_text("rows over threads")
    expect(first).to_contain_text("threads=2 vector=8")
    expect(first).to_contain_text("a row fits in one block")
    opener = first.get_by_role("button", name="3 candidates for k0")
    expect(opener).to_have_attribute("aria-expanded", "false")
    opener.focus()
    gated.keyboard.press("Enter")
    rows = pane(gated, "kernels").get_by_role("table", name="Candidates for k0").get_by_role("row")
    expect(rows).to_have_text(
        [
            re.compile("Candidate.*Model.*Reason"),
            re.compile("rows over threads.*2.50.µs.*a row fits"),
            re.compile("split rows.*4.10.µs.*1.6 us slower"),
            re.compile("persistent.*–.*needs more rows"),
        ]
    )
    expect(rows.nth(1).get_by_role("img", name="chosen")).to_be_visible()


def test_texts_of_several_graphs_are_told_apart(gated: Page) -> None:
    chooser = pane(gated, "triton").get_by_label("Triton: which text")
    expect(chooser.get_by_role("option")).to_have_text(["piece 1 of 2 · k0", "piece 2 of 2 · k0"])


@pytest.mark.parametrize("size", thinned(SIZES, kept=("phone",)))
def test_axe_finds_nothing(page: Page, address: str, size: str) -> None:
    sized(page, size)
    page.goto(address)
    show(page, "Stages")
    groups = page.get_by_role("tree", name="Stages").get_by_role("group")
    expect(groups.first).to_be_visible()
    assert violations(page) == []
    go(page, f"{address}#program=1&graph=forward")
    show(page, "Kernels")
    page.get_by_role("button", name="3 candidates for k0").first.click()
    assert violations(page) == []
    show(page, "Memory")
    assert violations(page) == []


def test_graph_is_chosen_on_a_phone(chromium: Browser, live_stack: str, address: str) -> None:
    context = chromium.new_context(
        base_url=live_stack, viewport={"width": 390, "height": 844}, has_touch=True
    )
    phone = context.new_page()
    phone.goto(address)
    graph(phone, "piece 2").tap()
    show(phone, "Kernels")
    expect(kernels(phone)).to_have_count(2)
    phone.get_by_role("button", name="3 candidates for k0").first.tap()
    table = pane(phone, "kernels").get_by_role("table", name="Candidates for k0")
    box = table.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


@pytest.mark.parametrize("size", thinned(SIZES, kept=("desk", "phone")))
def test_a_long_reason_is_read_whole(page: Page, address: str, size: str) -> None:
    sized(page, size)
    page.goto(address)
    reason = graphs(page).locator("button.segment small")
    reason.evaluate("x => { x.textContent = 'a long reason '.repeat(12) }")
    assert reason.evaluate(
        "x => x.scrollWidth <= x.clientWidth && x.getBoundingClientRect().right <= innerWidth"
    )
    assert graphs(page).evaluate("x => x.scrollWidth <= x.clientWidth")


def test_on_a_phone_the_graphs_leave_the_panes_their_room(page: Page, address: str) -> None:
    sized(page, "phone")
    page.goto(address)
    bar = page.locator(".graph-bar")
    bar.locator("button.segment small").evaluate("x => { x.textContent = 'a reason '.repeat(60) }")
    more = page.get_by_role("button", name="All of the graphs")
    expect(more).to_have_attribute("aria-expanded", "false")
    box, below = bar.bounding_box(), more.bounding_box()
    assert box and below and box["height"] <= 0.15 * SIZES["phone"][1]
    # A graph is seen whole or not at all.
    ends = [each.bounding_box() for each in bar.locator(".graph-list button").all()]
    cut = [e for e in ends if e and e["y"] < below["y"] - 1 < e["y"] + e["height"] - 2]
    assert cut == [] and ends[0] and ends[0]["y"] + ends[0]["height"] <= below["y"]
    more.click()
    graph(page, "piece 2").scroll_into_view_if_needed()
    expect(graph(page, "piece 2")).to_be_in_viewport(ratio=0.9)


def test_on_a_phone_a_link_to_a_graph_shows_it_among_the_graphs(page: Page, address: str) -> None:
    sized(page, "phone")
    page.goto(address)
    page.get_by_role("button", name="All of the graphs").click()
    graph(page, "piece 2").click()
    expect(graph(page, "piece 2")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(graph(page, "piece 2")).to_have_attribute("aria-pressed", "true")
    expect(graph(page, "piece 2")).to_be_in_viewport(ratio=0.9)


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1440, 900)])
def test_many_graphs_leave_the_editor_its_room(
    page: Page, address: str, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(address)
    reason = graphs(page).locator("button.segment small")
    reason.evaluate("x => { x.textContent = 'a reason '.repeat(60) }")
    more = page.get_by_role("button", name="All of the graphs")
    expect(more).to_be_visible()
    box = page.locator(".graph-bar").bounding_box()
    assert box and box["height"] <= 100
    more.click()
    expect(graph(page, "piece 2")).to_be_in_viewport(ratio=0.9)


def test_on_a_phone_a_graph_that_is_reached_by_keyboard_is_seen(page: Page, address: str) -> None:
    sized(page, "phone")
    page.goto(address)
    expect(page.get_by_role("button", name="All of the graphs")).to_be_visible()
    graph(page, "piece 1").focus()
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(graph(page, "piece 2")).to_be_focused()
    expect(graph(page, "piece 2")).to_be_in_viewport(ratio=0.9)
    expect(page.get_by_role("button", name="Less")).to_be_visible()
