"""The fusion graph: kernels as hulls around their operations, in one selection with the rest."""

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec import structs
from playwright.sync_api import Locator, Page, expect

from compiler_core import report
from compiler_core.report import FusionDecision, FusionGroup
from tests.browser.axe import SIZES, sized, violations
from tests.browser.fusion_report import REASON, drawn, repeated
from tests.browser.graph_panes import draw
from tests.browser.steps import expect_state, focused, go, lit, pane, press_until, run, show
from tests.sweep_plugin import thinned


@pytest.fixture
def page(kept_page: Page) -> Page:
    """One page, on which each test shows its run anew."""
    sized(kept_page, "desk")
    return kept_page


@pytest.fixture(scope="module")
def address(store: Callable[..., str]) -> str:
    return store(report.encode_report(drawn()))


@pytest.fixture
def graph(page: Page, address: str) -> Locator:
    return opened(page, address)


def opened(page: Page, address: str) -> Locator:
    go(page, address)
    expect_state(page, "done")
    show(page, "Fusion")
    found = pane(page, "fusion")
    expect(found.locator(".fusion-drawing")).to_be_visible()
    return found


def box(graph: Locator, name: str) -> Locator:
    return graph.get_by_role("button", name=re.compile(f"^{name} [a-z0-9]+\\["))


def hulls(graph: Locator) -> Locator:
    return graph.locator(".hull-label")


def slider(graph: Locator) -> Locator:
    return graph.get_by_role("slider", name="Step")


def point_at(path: Locator) -> None:
    """Moves the mouse to the middle of a line: that of the rectangle around it may be beside it."""
    path.scroll_into_view_if_needed()
    x, y = path.evaluate("""path => {
        const {x, y} = path.getPointAtLength(path.getTotalLength() / 2)
        const at = new DOMPoint(x, y).matrixTransform(path.getScreenCTM())
        return [at.x, at.y]
    }""")
    path.page.mouse.move(x, y)


def test_the_hulls_are_the_kernels_of_the_plan(graph: Locator) -> None:
    expect(hulls(graph)).to_have_text(
        [
            "k0 · row · 2.00\u00a0MiB",
            "k1 · matmul · 2.00\u00a0MiB",
            "k2 · elementwise · 2.00\u00a0MiB",
        ]
    )
    expect(graph.locator(".box.operation")).to_have_count(7)
    expect(graph.locator(".box[data-box^='k0_reduce_subtract/']")).to_have_count(5)


def test_a_click_lights_up_the_operation_everywhere(page: Page, graph: Locator) -> None:
    box(graph, "dot_general").click()
    expect(box(graph, "dot_general")).to_have_attribute("aria-pressed", "true")
    expect(lit(page, "source")).to_have_text(["    return torch.relu(y @ w)"])
    show(page, "IR")
    expect(lit(page, "ir").filter(has_text="dot_general").first).to_be_visible()


def test_a_line_of_the_snippet_lights_up_its_boxes(page: Page, graph: Locator) -> None:
    pane(page, "source").get_by_text("softmax").click()
    expect(graph.locator(".box.lit")).to_have_count(5)


def test_edges_between_kernels_say_why(graph: Locator) -> None:
    refused = graph.locator(".line.refused")
    expect(refused).to_have_count(2)
    point_at(refused.first.locator(".reach"))
    card = graph.locator(".fusion-card")
    expect(card).to_contain_text("divide → dot_general")
    expect(card).to_contain_text(f"Not fused:{REASON}")
    expect(card).to_contain_text("1.00\u00a0MiB")


def test_the_slider_goes_through_the_passes(page: Page, graph: Locator) -> None:
    expect(graph.get_by_text("fuse", exact=True)).to_be_visible()
    slider(graph).press("Home")
    expect(graph.get_by_text("captured")).to_be_visible()
    expect(box(graph, "multiply")).to_be_visible()
    expect(hulls(graph)).to_have_count(0)
    slider(graph).press("ArrowRight")
    expect(graph.get_by_text("simplify-algebra")).to_be_visible()
    expect(box(graph, "multiply")).to_have_count(0)
    expect(pane(page, "stages").locator("[aria-selected=true]")).to_contain_text("simplify-algebra")


def test_fusion_is_the_first_look_of_its_stage(page: Page, address: str) -> None:
    go(page, address)
    show(page, "IR")
    expect_state(page, "done")
    pane(page, "stages").get_by_text("fuse").first.dblclick()
    expect(pane(page, "fusion").locator(".hull-label")).to_have_count(3)


def test_between_two_panes_the_tools_are_a_row_and_with_all_the_room_say_more(
    page: Page, graph: Locator
) -> None:
    tools, views = graph.locator(".fusion-tools"), graph.get_by_role("checkbox", name="Views")
    search = tools.get_by_role("searchbox")
    for width in (1440, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        expect(views).to_be_hidden()
        row, one = tools.bounding_box(), search.bounding_box()
        assert row and one and row["height"] < 1.5 * one["height"], width
    graph.get_by_role("button", name="Maximise the graph").click()
    expect(views).to_be_visible()
    expect(tools.get_by_role("button", name="More of the graph's tools")).to_be_hidden()
    # For who looks next: the panes stay as they are left.
    graph.get_by_role("button", name="Maximise the graph").click()
    expect(views).to_be_hidden()


def test_on_a_phone_the_tools_are_a_row_until_more_is_asked_for(page: Page, address: str) -> None:
    sized(page, "phone")
    graph = opened(page, address)
    tools, views = graph.locator(".fusion-tools"), graph.get_by_role("checkbox", name="Views")
    expect(views).to_be_hidden()
    button, rows = tools.get_by_role("button").first.bounding_box(), tools.bounding_box()
    assert button and rows and rows["height"] < 1.5 * button["height"]
    tools.get_by_role("button", name="More of the graph's tools").click()
    expect(views).to_be_visible()
    expect(tools.get_by_role("button", name="Table")).to_be_visible()


def test_each_plan_is_told_by_its_name_and_as_its_stage_tells_it(
    page: Page, store: Callable[..., str]
) -> None:
    told = {"cpu": "10 in 3", "gpu": "12 in 2", "": ""}
    stages = [structs.replace(s, summary=told[s.backend]) for s in drawn().programs[0].stages]
    graph = opened(page, store(report.encode_report(drawn(stages=stages))))
    legend = graph.locator(".fusion-legend")
    expect(legend).to_contain_text("CPU: 10 in 3")
    graph.get_by_role("button", name="GPU").click()
    expect(legend).to_contain_text("GPU: 12 in 2")


def test_search_finds_and_goes_on(graph: Locator) -> None:
    field = graph.get_by_role("searchbox", name="Search the graph")
    field.fill("reduce")
    expect(graph.get_by_text("2 found")).to_be_visible()
    field.press("Enter")
    expect(graph.locator(".box.active")).to_contain_text("reduce maximum")
    field.press("Enter")
    expect(graph.locator(".box.active")).to_contain_text("reduce add")


def test_the_keyboard_walks_and_chooses(page: Page, graph: Locator) -> None:
    graph.get_by_role("region", name="Fusion graph").focus()
    press_until(page, "ArrowDown", lambda: focused(page).startswith("maximum"))
    page.keyboard.press("Enter")
    expect(lit(page, "source")).to_have_text(["    return torch.relu(y @ w)"])


def test_a_kernel_is_closed_to_one_box_and_opened(page: Page, graph: Locator) -> None:
    graph.get_by_role("button", name=re.compile("^k0")).locator(".turn").click()
    closed = graph.locator(".box.hull")
    expect(closed).to_contain_text("reduce\u00a0×2, subtract, exponential, divide")
    expect(graph.locator(".box.operation")).to_have_count(2)
    closed.focus()
    page.keyboard.press("x")
    expect(graph.locator(".box.operation")).to_have_count(7)


def test_it_is_zoomed_and_fitted(graph: Locator) -> None:
    drawing = graph.locator(".fusion-drawing")
    width = drawing.bounding_box()["width"]
    graph.get_by_role("button", name="Zoom in").click()
    assert drawing.bounding_box()["width"] > width
    graph.get_by_role("button", name="Fit").click()
    room = graph.get_by_role("region", name="Fusion graph").bounding_box()
    assert drawing.bounding_box()["height"] <= room["height"] + 1


def test_the_drawing_is_of_one_plan_at_a_time(graph: Locator) -> None:
    plans = graph.get_by_role("group", name="Plan")
    expect(plans.get_by_role("button")).to_have_text(["CPU", "GPU"])
    plans.get_by_role("button", name="GPU").click()
    expect(hulls(graph)).to_have_count(3)


def test_another_compilers_kernels_are_drawn_around_the_same_operations(
    page: Page, store: Callable[..., str]
) -> None:
    groups = [
        FusionGroup("xla", "exp_fusion", "kLoop", [0], 2**21),
        FusionGroup("xla", "custom-call.1", "custom-call", [1, 2], 2**21),
    ]
    decisions = [FusionDecision("xla", "divide.1", "dot.2", False, "a call", [0], [1])]
    told = drawn(fusion_groups=groups, fusion_decisions=decisions)
    graph = opened(page, store(report.encode_report(told)))
    compilers = graph.get_by_role("group", name="Kernels of")
    expect(compilers.get_by_role("button")).to_have_text(["core", "XLA"])
    compilers.get_by_role("button", name="XLA").click()
    expect(hulls(graph)).to_contain_text(["exp_fusion · kLoop", "custom-call.1 · custom-call"])
    expect(graph.locator(".box.operation")).to_have_count(7)
    point_at(graph.locator(".line.refused .reach"))
    expect(graph.locator(".fusion-card")).to_contain_text("Not fused:a call")


def test_equal_blocks_are_drawn_once(page: Page, store: Callable[..., str]) -> None:
    graph = opened(page, store(report.encode_report(repeated(12))))
    expect(graph.locator(".hull-label").first).to_contain_text("× 12")
    expect(graph.locator(".box.operation")).to_have_count(2)
    box(graph, "tanh").click()
    expect(lit(page, "source")).to_have_count(1)
    draw(graph, "Equal blocks once", False)
    expect(graph.locator(".box.operation")).to_have_count(24)


def test_a_large_graph_begins_with_its_kernels_closed(
    page: Page, store: Callable[..., str]
) -> None:
    graph = opened(page, store(report.encode_report(repeated(300))))
    draw(graph, "Equal blocks once", False)
    expect(graph.locator(".box.hull")).to_have_count(600)
    graph.locator(".box.hull").first.dblclick()
    expect(graph.locator(".box.operation")).to_have_count(1)


def test_the_edges_are_a_table_too(graph: Locator) -> None:
    graph.get_by_role("button", name="Table").click()
    row = graph.get_by_role("row", name=re.compile("^divide dot_general"))
    for text in ("1.00\u00a0MiB", "k0 → k1", REASON):
        expect(row).to_contain_text(text)
    graph.get_by_role("searchbox").fill("reduce add")
    expect(graph.get_by_text("2 edges")).to_be_visible()


def test_the_file_needs_nothing_of_the_page(page: Page, graph: Locator, tmp_path: Path) -> None:
    with page.expect_download() as download:
        graph.get_by_role("button", name="Download as SVG").click()
    assert download.value.suggested_filename == "f-after-fuse.svg"
    file = tmp_path / "graph.svg"
    download.value.save_as(file)
    text = file.read_text(encoding="utf-8")
    used, given = set(re.findall(r"var\((--[\w-]+)", text)), set(re.findall(r"(--[\w-]+):", text))
    assert used <= given
    assert not re.search(r"light-dark|url\((?!#)|href=", text)
    assert "k0 · row" in ElementTree.fromstring(text).find(".//*[@class='hull-label']").text


@pytest.mark.parametrize("size", thinned(SIZES, kept=("phone",)))
def test_axe_finds_nothing(page: Page, address: str, size: str) -> None:
    sized(page, size)
    opened(page, address)
    assert violations(page) == []


def test_a_real_program_is_drawn_as_its_report_says(page: Page) -> None:
    run(page, "# inputs: f32[256,128], f32[128]\nimport torch\n\n"
        "def f(x, b):\n    return torch.softmax(x + b, -1) * 2\n")  # fmt: skip
    show(page, "Fusion")
    graph = pane(page, "fusion")
    expect(hulls(graph)).to_have_count(1)
    expect(hulls(graph)).to_contain_text("k0 · row")
    expect(box(graph, "reduce maximum")).to_be_visible()


def test_it_is_given_the_room_of_all_panes_and_gives_it_back(page: Page, graph: Locator) -> None:
    window = graph.locator(".fusion-window")
    before = window.bounding_box()
    graph.get_by_role("button", name="Maximise the graph").click()
    expect(pane(page, "source")).not_to_be_visible()
    whole = window.bounding_box()
    assert before and whole and page.viewport_size
    assert whole["width"] == page.viewport_size["width"] > 2 * before["width"]
    assert whole["height"] > 1.5 * before["height"]
    graph.get_by_role("button", name="Maximise the graph").click()
    expect(pane(page, "source")).to_be_visible()


def test_on_a_small_screen_the_legend_leaves_the_drawing_its_room(
    page: Page, graph: Locator
) -> None:
    expect(graph.locator(".fusion-legend .widths")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(graph.locator(".fusion-legend .widths")).not_to_be_visible()
    sized(page, "phone")
    show(page, "Fusion")
    expect(graph.locator(".fusion-legend")).to_be_visible()
    expect(graph.locator(".fusion-legend .widths")).not_to_be_visible()
