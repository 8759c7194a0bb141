"""The bars above panes, and that of the page: a row each, of which nothing is cut."""

import re
from collections.abc import Callable

import pytest
from msgspec import structs
from playwright.sync_api import Page, expect

from compiler_core import report
from compiler_core.report import Artifact, CapturedOp, Graph, Program, Report, Stage
from tests.browser.axe import sized
from tests.browser.steps import expect_state, open_options, pane, show, write

NAME = "common-subexpressions"
WORDLESS = "compile sm_90"


def divided() -> bytes:
    """A pass of a piece of a program, whose head has all that one can have."""
    graphs = [Graph(name="f", line=1), Graph("p1", "piece 1 of 3", "piece", 1, "whole")]
    sides = [
        Artifact("before", "ir", "fuselab", "graph f() {\n  %1 = a()\n}\n", [[], [0], []]),
        Artifact("after", "ir", "fuselab", "graph f() {\n  %1 = b()\n}\n", [[], [0], []]),
    ]
    changed = Stage(NAME, "ok", 1.0, sides, "pass", graph="p1", changed=True)
    nodes = [CapturedOp(0, "add", 1, 1, "p1")]
    captured = Stage("capture", "ok", 1.0, kind="capture", summary="29 operations in 3 graphs")
    compiled = Stage(WORDLESS, "ok", 1.0, graph="p1", backend="gpu")
    stages = [captured, changed, compiled]
    program = Program("f", "torch", graphs=graphs, nodes=nodes, stages=stages)
    whole = Report(snippet=report.Snippet("", "f = 1\n"), programs=[program])
    return report.encode_report(whole)


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720)])
def test_a_texts_tools_are_one_row_beside_switch_off(
    page: Page, store: Callable[..., str], size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(store(divided()))
    page.get_by_role("treeitem", name=NAME).click()
    head = pane(page, "ir").locator(".pane-head")
    expect(head.get_by_role("button", name=f"Switch off {NAME}")).to_be_visible()
    box = head.bounding_box()
    assert box and box["height"] < 40
    assert head.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_a_stage_without_a_text_has_its_name_read_whole(
    page: Page, store: Callable[..., str]
) -> None:
    page.goto(store(divided()))
    page.get_by_role("treeitem", name=WORDLESS).click()
    name = pane(page, "ir").locator(".pane-name")
    expect(name).to_have_text(WORDLESS)
    expect(pane(page, "ir").locator(".aside")).to_have_attribute("title", re.compile("no text"))
    assert name.evaluate("e => e.scrollWidth <= e.clientWidth")
    page.get_by_role("treeitem", name="capture").click()
    expect(pane(page, "ir")).to_contain_text("29 operations in 3 graphs")
    expect(pane(page, "ir")).to_contain_text("comes before the IR")


WHOLE = """list => {
  const shown = list.offsetWidth;
  list.style.cssText = "flex: none; max-width: none";
  return [shown, list.offsetWidth];
}"""


def test_the_level_of_a_kernels_text_is_read_whole(page: Page, compiled: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(compiled)
    expect_state(page, "done")
    pane(page, "source").locator(".cm-line", has_text="x + b").click()
    show(page, "PTX")
    text = pane(page, "assembly")
    expect(text.get_by_role("button", name="Next lit line")).to_be_visible()
    shown, whole = text.get_by_label("PTX: which level").evaluate(WHOLE)
    assert shown == whole
    expect(text.get_by_role("button", name="More tools")).to_be_visible()


def test_the_time_of_all_stages_is_not_cut_beside_the_switch_of_plans(
    page: Page, compiled: str
) -> None:
    page.goto(compiled)
    expect_state(page, "done")
    head = pane(page, "stages").locator(".pane-head")
    # The narrower one as beside a deck.
    for width in (1280, 960):
        page.set_viewport_size({"width": width, "height": 720})
        expect(head.get_by_role("group", name="Plan")).to_be_visible()
        for part in (head.locator(".number"), head.locator(".check"), head.get_by_role("group")):
            assert part.evaluate("e => e.scrollWidth <= e.clientWidth"), width


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720), (390, 844)])
def test_an_empty_editor_says_all_of_what_is_to_be_done(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto("/")
    write(page, "")
    editor = page.locator(".editor").first.bounding_box()
    hint = page.locator(".cm-placeholder").bounding_box()
    button = page.get_by_role("button", name="Your runs").bounding_box()
    assert editor and hint and button
    assert hint["x"] + hint["width"] <= editor["x"] + editor["width"]
    assert hint["y"] + hint["height"] <= button["y"] or button["y"] + button["height"] <= hint["y"]
    assert page.locator(".editor .cm-scroller").evaluate("e => e.scrollWidth <= e.clientWidth")


def test_on_a_phone_edits_are_undone_by_a_button_of_a_fingers_width(
    page: Page, store: Callable[..., str]
) -> None:
    sized(page, "phone")
    page.goto(store(divided()))
    expect_state(page, "done")
    write(page, "g = 2\n")
    button = page.get_by_role("button", name="Undo edits")
    box = button.bounding_box()
    assert box and box["width"] >= 36 and box["height"] >= 36
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    button.click()
    expect(pane(page, "source")).to_contain_text("f = 1")


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_the_options_are_one_line_of_which_nothing_is_cut_however_much_is_chosen(
    page: Page, store: Callable[..., str], size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    everything = report.Options(
        compilers=tuple(each.id for each in report.CHOICES),
        insides=tuple(each.id for each in report.INSIDES),
        timeline=True,
    )
    heights = []
    for options in (report.Options(), everything):
        chosen = structs.replace(report.decode_report(divided()), options=options)
        page.goto(store(report.encode_report(chosen)))
        expect_state(page, "done")
        box = page.locator(".more-options").bounding_box()
        assert box
        heights.append(box["height"])
        line = page.locator(".more-options > summary")
        expect(line).to_contain_text("core" if len(heights) == 1 else "compilers")
        assert line.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert heights[0] == heights[1]
    expect(page.locator(".more-options > summary")).to_have_attribute("title", re.compile("XLA"))


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720)])
def test_the_snippet_stays_in_sight_beside_all_options(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto("/")
    write(page, "first = 1\n")
    open_options(page)
    page.locator(".insides > summary").click()
    last = page.get_by_role("form", name="Options").get_by_label("Measure")
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()
    expect(pane(page, "source").locator(".cm-line", has_text="first = 1")).to_be_in_viewport()
