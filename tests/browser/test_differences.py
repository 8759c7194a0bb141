"""What a pass changed is painted line by line, exactly, on a wide page and on a narrow one."""

import random
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from compiler_core import report
from compiler_core.report import Artifact, CapturedOp, Graph, Kernel, Program, Report, Stage
from tests.browser.steps import lit, pane, show
from tests.sweep_plugin import thinned

# As many lines as a GPT of twelve blocks has, and as many that one pass takes away.
LINES, REMOVED, ADDED = 1400, 96, 48


def merged_views() -> tuple[str, str, list[list[int]], list[list[int]]]:
    """A pass that takes one view of each two away, all over a long text, as texts and line maps."""
    draw = random.Random(7)
    lines = [
        f"  %{i} = multiply(%{draw.randrange(i)}, %{draw.randrange(i)}) : f32[64,128]"
        for i in range(1, LINES)
    ]
    places = sorted(draw.sample(range(0, LINES - 3, 2), ADDED))
    after, nodes_after = [], []
    gone = {place + step for place in places for step in (0, 1)}
    for at, line in enumerate(lines):
        if at not in gone:
            after.append(line)
            nodes_after.append([~(at + 1), at])
        elif at in places:
            after.append(f"  %{at + 2} = reshape(%0) : f32[8192]")
            nodes_after.append([~(at + 2), at])
    head, tail = "graph gpt(%0: f32[64,128]) {", "}"
    nodes = [[], *([~(i + 1), i] for i in range(LINES - 1)), []]
    texts = ("\n".join([head, *body, tail]) for body in (lines, after))
    return *texts, nodes, [[], *nodes_after, []]


def merging() -> Report:
    before, after, nodes, nodes_after = merged_views()
    stage = Stage(
        "merge-views", "ok", 1.0,
        [
            Artifact("before", "ir", "fuselab", before, nodes),
            Artifact("after", "ir", "fuselab", after, nodes_after),
        ],
        "pass",
    )  # fmt: skip
    captured = Artifact("captured", "captured", "aten", before, nodes)
    program = Program(
        "gpt",
        "torch",
        graphs=[Graph(name="gpt", line=1)],
        nodes=[CapturedOp(i, "multiply", 1, 1) for i in range(LINES)],
        kernels=[Kernel("k0", "elementwise", None, ["multiply"], 8, 8, [1], list(range(LINES)))],
        stages=[
            Stage("capture", "ok", 1.0, [captured], "capture"),
            report.counted(stage),
        ],
    )
    return Report(snippet=report.Snippet("", "gpt = 1\n"), programs=[program])


@pytest.fixture(scope="module")
def link(store: Callable[..., str]) -> str:
    return store(report.encode_report(merging()))


# Only the lines about those that are seen are drawn: it goes through all of the text.
PAINTED = """async scroller => {
    const found = {came: new Set(), gone: new Set()}
    const drawn = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)))
    for (let at = 0; ; at += scroller.clientHeight / 2) {
        scroller.scrollTo(0, at)
        await drawn()
        await drawn()
        for (const [kind, lines] of Object.entries(found))
            for (const line of scroller.querySelectorAll(`.cm-${kind}`)) lines.add(line.innerText)
        if (scroller.scrollTop < at - 1)
            return Object.values(found).map(lines => lines.size)
    }
}"""


def painted(page: Page) -> list[int]:
    """Lines in the IR pane that came and that went, those included that nobody sees."""
    return pane(page, "ir").locator(".text-columns, .cm-scroller").first.evaluate(PAINTED)


@pytest.mark.parametrize(("width", "columns"), thinned([(1800, 2), (1280, 1)], [(1800, 2)]))
def test_as_many_lines_are_painted_as_the_header_says(
    page: Page, link: str, width: int, columns: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{link}#stage=1")
    head = pane(page, "ir").locator(".delta").first
    expect(head).to_have_text(f"+{ADDED} −{REMOVED}")
    expect(pane(page, "ir").locator(".cm-content")).to_have_count(columns)
    assert painted(page) == [ADDED, REMOVED]


def test_on_a_narrow_page_all_the_room_has_before_and_after_beside_each_other(
    page: Page, link: str
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{link}#stage=1")
    ir = pane(page, "ir")
    expect(ir.locator(".cm-gone").first).to_be_visible()
    ir.get_by_role("button", name="More tools").click()
    room = ir.get_by_role("button", name="Maximise")
    expect(room).to_have_attribute("title", re.compile("before and after beside each other"))
    room.click()
    expect(ir.locator(".cm-content")).to_have_count(2)
    room.click()
    expect(ir.locator(".cm-content")).to_have_count(1)


def test_long_lines_beside_each_other_are_reached_sideways_or_in_one_column(
    page: Page, link: str
) -> None:
    page.set_viewport_size({"width": 1800, "height": 900})
    page.goto(f"{link}#stage=1")
    ir = pane(page, "ir")
    bar = ir.locator(".text-sideways").last
    expect(bar).to_be_in_viewport()
    bar.evaluate("bar => { bar.scrollLeft = 40 }")
    expect(ir.locator(".cm-scroller").last).to_have_js_property("scrollLeft", 40)
    ir.get_by_role("button", name="beside each other").click()
    expect(ir.locator(".cm-content")).to_have_count(1)
    expect(ir.get_by_role("button", name="Wrap long lines")).to_have_attribute(
        "aria-pressed", "true"
    )


def test_in_one_column_what_went_has_its_hue_and_its_link(page: Page, link: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{link}#stage=1")
    gone = pane(page, "ir").locator(".cm-gone")
    expect(gone.first).to_be_visible()
    expect(pane(page, "ir").locator(".cm-hues .cm-hue").first).to_be_attached()
    text = gone.first.inner_text().strip()
    gone.first.click()
    show(page, "Captured")
    expect(lit(page, "captured")).to_have_text([text])


def test_what_is_folded_is_shown_when_its_counterpart_is_chosen(page: Page, link: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{link}#stage=1")
    folds = pane(page, "ir").locator(".cm-collapsedLines")
    expect(folds.first).to_be_visible()
    first: Locator = folds.first
    count = first.inner_text()
    show(page, "Captured")
    pane(page, "captured").locator(".cm-line").nth(2).click()
    line = lit(page, "captured").inner_text().strip()
    show(page, "IR")
    expect(lit(page, "ir").first).to_contain_text(line)
    first.click()
    expect(pane(page, "ir").get_by_text(count, exact=True)).to_have_count(0)


def test_in_forced_colours_what_went_and_came_is_marked(page: Page, link: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(forced_colors="active")
    page.goto(f"{link}#stage=1")
    ir = pane(page, "ir")
    for kind, line in (("gone", "double"), ("came", "solid")):
        expect(ir.locator(f".cm-line.cm-{kind}").first).to_have_css("border-left-style", line)
    struck, under = (ir.locator(f".cm-{kind} .cm-word").first for kind in ("gone", "came"))
    expect(struck).to_have_css("text-decoration-line", "line-through")
    expect(under).to_have_css("text-decoration-line", "underline")
