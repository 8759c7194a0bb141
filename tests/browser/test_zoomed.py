"""Twice as large, on a small screen, in the system's own colours, without a mouse: all is there."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from compiler_core import report
from tests.browser.conftest import returning
from tests.browser.graph_panes import graphs
from tests.browser.steps import expect_state, lit, pane, show
from tests.several_graphs import whole
from tests.sweep_plugin import thinned

# What a page of these sizes has at 200 %.
ZOOMED = {"1440x900": (720, 450), "1280x720": (640, 360)}
LEAST_EDITOR = 120


@pytest.fixture(params=thinned(ZOOMED, kept=("1280x720",)))
def zoomed(chromium: Browser, live_stack: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    width, height = ZOOMED[request.param]
    context = chromium.new_context(
        base_url=live_stack,
        viewport={"width": width, "height": height},
        device_scale_factor=2,
    )
    yield returning(context).new_page()
    context.close()


def height(element: Locator) -> float:
    box = element.bounding_box()
    return box["height"] if box else 0


def test_at_200_percent_the_editor_and_every_pane_have_height(zoomed: Page, measured: str) -> None:
    zoomed.goto("/")
    editor = zoomed.get_by_role("textbox", name="Source")
    expect(editor).to_contain_text("import")
    assert height(zoomed.locator(".editor")) >= LEAST_EDITOR
    zoomed.goto(measured)
    expect_state(zoomed, "done")
    for title, name in (("IR", "ir"), ("Kernels", "kernels"), ("Timings", "timings")):
        show(zoomed, title)
        assert height(pane(zoomed, name)) >= LEAST_EDITOR
        assert zoomed.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_in_forced_colours_a_lit_line_and_a_chosen_stage_are_marked(
    page: Page, measured: str
) -> None:
    page.emulate_media(forced_colors="active")
    page.goto(measured)
    expect_state(page, "done")
    pane(page, "source").locator(".cm-line", has_text="x + b").click()
    show(page, "Triton")
    for marked in (lit(page, "triton").first, page.locator(".stage.active")):
        expect(marked).to_have_css("outline-style", "solid")
    hue = pane(page, "triton").locator(".cm-hue").first
    canvas = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert hue.evaluate("mark => getComputedStyle(mark).backgroundColor") != canvas


def test_in_forced_colours_the_chosen_example_is_marked(page: Page) -> None:
    page.emulate_media(forced_colors="active")
    page.goto("/")
    page.get_by_role("button", name="Examples", exact=True).click()
    shown = page.get_by_role("dialog", name="Examples")
    shown.locator(".example").nth(1).click()
    shown.get_by_label("Search").focus()
    expect(shown.locator('.example[aria-current="true"]')).to_have_css("outline-style", "solid")
    page.emulate_media(forced_colors="none")


def test_in_forced_colours_a_short_confirmation_is_read(page: Page, compiled: str) -> None:
    page.emulate_media(forced_colors="active")
    page.goto(compiled)
    expect_state(page, "done")
    page.get_by_role("button", name="Pin").click()
    toast = page.locator(".toast")
    expect(toast).not_to_be_empty()
    # What the browser paints behind a text is the canvas.
    colour = toast.evaluate("e => getComputedStyle(e).color")
    assert colour != page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(forced_colors="none")


def test_in_forced_colours_what_is_drawn_has_the_systems_too(page: Page, measured: str) -> None:
    page.emulate_media(forced_colors="active")
    page.goto(measured)
    show(page, "Fusion")
    box = pane(page, "fusion").locator(".box.operation").first
    system = page.evaluate("getComputedStyle(document.body).color")
    assert box.locator(".detail").evaluate("e => getComputedStyle(e).fill") == system
    stroke = "e => getComputedStyle(e).stroke"
    expect(box.locator("rect")).to_have_css("stroke", system)
    box.click()
    expect(box).to_have_attribute("aria-pressed", "true")
    assert box.locator("rect").evaluate(stroke) != system


def test_in_forced_colours_the_chosen_program_is_read_whole(page: Page, compiled: str) -> None:
    page.emulate_media(forced_colors="active")
    page.goto(compiled)
    expect_state(page, "done")
    program = page.locator(".program[aria-pressed=true]")
    colour = "e => getComputedStyle(e).color"
    assert program.locator(".faint").evaluate(colour) == program.evaluate(colour)


def beside(page: Page, x: float) -> Locator:
    """The border that is nearest to a place."""
    borders = page.get_by_role("separator", name="Width of the panes beside").all()
    boxes = [(border.bounding_box() or {"x": 1e9})["x"] for border in borders]
    return min(zip(boxes, borders, strict=True), key=lambda found: abs(found[0] - x))[1]


def test_a_border_between_panes_is_moved_by_keys(page: Page) -> None:
    page.goto("/")
    source = pane(page, "source")
    expect(source.get_by_role("textbox", name="Source")).to_contain_text("import")
    before = source.bounding_box()
    assert before
    border = beside(page, before["x"] + before["width"])
    border.focus()
    share = border.get_attribute("aria-valuenow")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    after = source.bounding_box()
    assert after
    assert after["width"] > before["width"] + 60
    assert border.get_attribute("aria-valuenow") != share
    page.keyboard.press("Home")
    least = source.bounding_box()
    assert least
    assert 0 < least["width"] < before["width"]


def test_whoever_is_in_the_editor_is_told_how_to_leave_it_and_can(page: Page) -> None:
    page.goto("/")
    editor = page.get_by_role("textbox", name="Source")
    editor.focus()
    hint = page.locator(".editor-hint")
    expect(hint).to_be_visible()
    assert editor.get_attribute("aria-describedby") == hint.get_attribute("id")
    text, told = page.locator(".editor .cm-scroller").bounding_box(), hint.bounding_box()
    assert text and told and text["y"] + text["height"] <= told["y"], "it lies on no line"
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(editor).not_to_be_focused()
    expect(hint).to_be_hidden()


def test_in_forced_colours_the_chosen_graph_is_read_whole(
    page: Page, store: Callable[..., str]
) -> None:
    page.emulate_media(forced_colors="active")
    page.goto(store(report.encode_report(whole())))
    chosen = graphs(page).locator('button[aria-pressed="true"]')
    expect(chosen).to_be_visible()
    colours = chosen.locator("> *").evaluate_all("all => all.map(e => getComputedStyle(e).color)")
    assert len(colours) == 2 and len(set(colours)) == 1
