"""A line leads to the lines of its value; by Alt, to those of the whole captured operation."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import expect_state, lit, new, pane, run, show

SNIPPET = """import torch
import torch.nn.functional as F

# inputs: f32[256,256], f32[256,256]
def block(x, w):
    return x + F.gelu(torch.softmax(x @ w, -1))
"""


@pytest.fixture(scope="module")
def kept() -> list[str]:
    """The address of the run, once it is made."""
    return []


@pytest.fixture
def opened(page: Page, kept: list[str]) -> Page:
    if not kept:
        run(page, new(SNIPPET))
        kept.append(page.url.partition("#")[0])
    page.goto(kept[0])
    expect_state(page, "done")
    return page


def sum_in_triton(page: Page) -> Locator:
    choose(page, "reduce_subtract")
    return pane(page, "triton").locator(".cm-line", has_text="tl.sum(").first


def choose(page: Page, kernel: str) -> None:
    chooser = pane(page, "triton").get_by_label("Triton: which text")
    wanted = chooser.locator("option").filter(has_text=kernel).first
    chooser.select_option(wanted.get_attribute("value"))


def place_of(line: Locator, part: str) -> list[float]:
    """Where the first letter of a part of a line is on the page."""
    return line.evaluate(
        """(line, part) => {
             let at = line.textContent.indexOf(part);
             const range = document.createRange();
             const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
             for (let node; (node = walker.nextNode()); at -= node.length)
               if (at < node.length) {
                 range.setStart(node, at);
                 range.setEnd(node, at + 1);
                 const { x, y, width, height } = range.getBoundingClientRect();
                 return [x + width / 2, y + height / 2];
               }
           }""",
        part,
    )


def test_a_line_lights_up_its_value_and_with_alt_its_operation(opened: Page) -> None:
    line = sum_in_triton(opened)
    line.click()
    expect(lit(opened, "ir").first).to_contain_text("reduce")
    few = lit(opened, "ir").count()
    in_triton = lit(opened, "triton").count()
    assert few <= 2 and in_triton < 4
    line.click(modifiers=["Alt"])
    expect(lit(opened, "ir").nth(few)).to_be_visible()
    assert lit(opened, "triton").count() > in_triton


def test_a_link_brings_the_value_back(opened: Page) -> None:
    sum_in_triton(opened).click()
    chosen = lit(opened, "ir").all_inner_texts()
    assert "values=" in opened.url
    opened.reload()
    expect_state(opened, "done")
    expect(lit(opened, "ir")).to_have_text(chosen)


def test_in_the_snippet_the_column_decides(opened: Page) -> None:
    source = pane(opened, "source")
    line = source.locator(".cm-line", has_text="return x + ")
    show(opened, "Captured")

    def click_at(part: str) -> list[str]:
        opened.mouse.click(*place_of(line, part))
        expect(source.locator(".cm-lit-spot").first).to_be_attached()
        return lit(opened, "captured").all_inner_texts()

    found = {part: " ".join(click_at(part)) for part in ("F.gelu", "torch.softmax")}
    assert "gelu" in found["F.gelu"] and "softmax" not in found["F.gelu"]
    assert "softmax" in found["torch.softmax"] and "gelu" not in found["torch.softmax"]


def test_another_kernel_can_be_chosen_while_a_line_is(opened: Page) -> None:
    sum_in_triton(opened).click()
    expect(lit(opened, "triton").first).to_be_visible()
    choose(opened, "matmul")
    chooser = pane(opened, "triton").get_by_label("Triton: which text")
    expect(chooser.locator("option:checked")).to_contain_text("matmul")


def test_lit_lines_are_gone_through_and_counted(opened: Page) -> None:
    sum_in_triton(opened).click(modifiers=["Alt"])
    walk = pane(opened, "triton").get_by_role("group", name="Lines that are lit")
    expect(walk).to_contain_text(" of ")
    before = walk.inner_text()
    walk.get_by_role("button", name="Next lit line").click()
    expect(walk).not_to_have_text(before)


def test_what_is_selected_is_followed_through_the_panes(opened: Page) -> None:
    sum_in_triton(opened).click()
    trail = opened.get_by_role("navigation", name="What is selected")
    expect(trail).to_contain_text("line 6")
    expect(trail).to_contain_text("softmax")
    expect(trail).to_contain_text("triton:")
    trail.get_by_role("button", name="line 6").click()
    expect(pane(opened, "source").locator(".cm-focused")).to_be_visible()
    opened.keyboard.press("Escape")
    expect(trail).to_have_count(0)


def test_a_line_under_the_pointer_is_lit_faintly_in_the_others(opened: Page) -> None:
    sum_in_triton(opened).hover()
    expect(pane(opened, "ir").locator(".cm-hovered").first).to_be_attached()
    pane(opened, "triton").locator(".pane-head").hover()
    expect(pane(opened, "ir").locator(".cm-hovered")).to_have_count(0)
    expect(opened.locator(".cm-lit")).to_have_count(0)


def test_the_search_counts(opened: Page) -> None:
    choose(opened, "reduce_subtract")
    triton = pane(opened, "triton")
    triton.get_by_role("button", name="Search Triton").click()
    triton.get_by_label("Search in the text").fill("tl.load(")
    expect(triton.get_by_role("status").last).to_have_text("2")
    opened.keyboard.press("Enter")
    expect(triton.get_by_role("status").last).to_have_text("1 of 2")
    opened.keyboard.press("Escape")
    expect(triton.get_by_label("Search in the text")).to_have_count(0)


def test_an_operation_is_explained_where_the_pointer_rests(opened: Page) -> None:
    opened.mouse.move(*place_of(sum_in_triton(opened), "sum("))
    expect(opened.locator(".text-meaning")).to_contain_text("along an axis of the block")


def test_kernel_and_level_are_chosen_apart(opened: Page) -> None:
    show(opened, "PTX")
    assembly = pane(opened, "assembly")
    level = assembly.get_by_label("PTX: which level")
    kernel = assembly.get_by_label("PTX: which kernel")
    wanted = kernel.locator("option").filter(has_text="reduce_subtract").first
    kernel.select_option(wanted.get_attribute("value"))
    expect(assembly.locator(".cm-content")).to_contain_text("ld.param")
    expect(assembly.locator(".cm-collapsedLines").first).to_contain_text("lines of declarations")
    level.select_option(label="TTGIR")
    expect(assembly.locator(".cm-content")).to_contain_text("arith.")
    expect(kernel.locator("option:checked")).to_contain_text("reduce_subtract")


def test_a_text_can_have_all_the_room(opened: Page) -> None:
    triton = pane(opened, "triton")
    before = triton.bounding_box()
    triton.get_by_role("button", name="Maximise").click()
    expect(pane(opened, "source")).not_to_be_visible()
    triton.get_by_role("button", name="Maximise").click()
    expect(pane(opened, "source")).to_be_visible()
    assert triton.bounding_box() == before


def test_long_lines_go_on_below_unless_they_are_not_to(opened: Page) -> None:
    ir = pane(opened, "captured")
    show(opened, "Captured")
    wide = "e => e.scrollWidth > e.clientWidth"
    opened.set_viewport_size({"width": 900, "height": 700})
    expect(ir.locator(".cm-lineWrapping")).to_be_visible()
    assert not ir.locator(".cm-scroller").evaluate(wide)
    ir.get_by_role("button", name="Wrap long lines").click()
    expect(ir.locator(".cm-lineWrapping")).to_have_count(0)


def test_one_more_of_a_pane_shows_another_text_beside_it(opened: Page) -> None:
    show(opened, "PTX")
    assembly = pane(opened, "assembly")
    assembly.get_by_role("button", name="One more beside").click()
    more = pane(opened, "assembly~2")
    more.get_by_label("PTX: which level").select_option(label="TTIR")
    expect(more.locator(".cm-content")).to_contain_text("arith.")
    expect(assembly.locator(".cm-content")).to_contain_text("ld.param")
    opened.reload()
    expect(more).to_be_visible()
    more.get_by_role("button", name="Close this").click()
    expect(more).to_have_count(0)
