"""A line leads to the lines of its value; by Alt, to those of the whole captured operation."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import api
from tests.browser.steps import expect_state, go, lit, pane, run, show

SNIPPET = """import torch
import torch.nn.functional as F

# inputs: f32[256,256], f32[256,256]
def block(x, w):
    return x + F.gelu(torch.softmax(x @ w, -1))
"""


@pytest.fixture(scope="module")
def address(live_stack: str) -> str:
    return api.ended(live_stack, SNIPPET, measure=False).address


@pytest.fixture
def opened(page: Page, address: str) -> Page:
    page.goto(address)
    expect_state(page, "done")
    return page


@pytest.fixture
def seen(kept_page: Page, address: str) -> Page:
    """The same on a page where others have selected something."""
    go(kept_page, address)
    expect_state(kept_page, "done")
    show(kept_page, "IR")
    return kept_page


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


def test_a_line_lights_up_its_value_and_with_alt_its_operation(seen: Page) -> None:
    line = sum_in_triton(seen)
    line.click()
    expect(lit(seen, "ir").first).to_contain_text("reduce")
    few = lit(seen, "ir").count()
    in_triton = lit(seen, "triton").count()
    assert few <= 2 and in_triton < 4
    line.click(modifiers=["Alt"])
    expect(lit(seen, "ir").nth(few)).to_be_visible()
    expect(lit(seen, "triton").nth(in_triton)).to_be_visible()


def test_a_link_brings_the_value_back(opened: Page) -> None:
    sum_in_triton(opened).click()
    expect(lit(opened, "ir").first).to_be_visible()
    expect(opened).to_have_url(re.compile("values="))
    chosen = lit(opened, "ir").all_inner_texts()
    opened.reload()
    expect_state(opened, "done")
    expect(lit(opened, "ir")).to_have_text(chosen)


def test_in_the_snippet_the_column_decides(seen: Page) -> None:
    source = pane(seen, "source")
    line = source.locator(".cm-line", has_text="return x + ")
    show(seen, "Captured")

    for part, name, other in (
        ("F.gelu", "gelu", "softmax"),
        ("torch.softmax", "softmax", "gelu"),
    ):
        seen.mouse.click(*place_of(line, part))
        expect(source.locator(".cm-lit-spot").first).to_be_attached()
        expect(lit(seen, "captured").first).to_contain_text(name)
        assert other not in " ".join(lit(seen, "captured").all_inner_texts())


def test_operators_that_begin_at_one_column_are_told_apart(page: Page) -> None:
    run(page, "# inputs: f32[64,64], f32[64,64], f32[64]\ndef f(x, w, b):\n    return x @ w + b\n")
    show(page, "Captured")
    line = pane(page, "source").locator(".cm-line", has_text="return x @ w + b")
    for part, name in (("w +", "aten.mm"), ("+ b", "aten.add.Tensor")):
        page.mouse.click(*place_of(line, part))
        trail = page.get_by_role("navigation", name="What is selected")
        expect(trail.get_by_role("listitem").nth(1)).to_have_text(name)


def test_another_kernel_can_be_chosen_while_a_line_is(seen: Page) -> None:
    sum_in_triton(seen).click()
    expect(lit(seen, "triton").first).to_be_visible()
    choose(seen, "matmul")
    chooser = pane(seen, "triton").get_by_label("Triton: which text")
    expect(chooser.locator("option:checked")).to_contain_text("matmul")


def test_lit_lines_are_gone_through_and_counted(seen: Page) -> None:
    sum_in_triton(seen).click(modifiers=["Alt"])
    walk = pane(seen, "triton").get_by_role("group", name="Lines that are lit")
    expect(walk).to_contain_text(" of ")
    before = walk.inner_text()
    walk.get_by_role("button", name="Next lit line").click()
    expect(walk).not_to_have_text(before)


NUMBER = """line => {
  const {top} = line.getBoundingClientRect();
  const numbers = line.closest(".cm-editor").querySelectorAll(".cm-lineNumbers .cm-gutterElement");
  return [...numbers].find(e => Math.abs(e.getBoundingClientRect().top - top) < 3).textContent;
}"""


def test_what_is_selected_is_followed_through_the_panes(seen: Page) -> None:
    line = sum_in_triton(seen)
    line.click()
    number = line.evaluate(NUMBER)
    trail = seen.get_by_role("navigation", name="What is selected")
    expect(trail).to_contain_text("line 6")
    expect(trail).to_contain_text("softmax")
    expect(trail).to_contain_text(re.compile(r"%\d+ reduce"))
    # Of the GPU's kernels, whose text it is, though the CPU's ran.
    chooser = pane(seen, "triton").get_by_label("Triton: which text")
    shown = chooser.locator("option:checked").inner_text()
    expect(trail).to_contain_text(shown.split(" · ")[0])
    expect(trail).to_contain_text(f"triton:{number}")
    trail.get_by_role("button", name="line 6").click()
    expect(pane(seen, "source").locator(".cm-focused")).to_be_visible()
    seen.keyboard.press("Escape")
    expect(trail).to_have_count(0)


def test_a_text_opens_on_the_lines_that_compute_what_is_chosen(seen: Page) -> None:
    line = pane(seen, "source").locator(".cm-line", has_text="F.gelu")
    seen.mouse.click(*place_of(line, "gelu"))
    computing = pane(seen, "triton").locator(".cm-lit").filter(has_not_text="def ")
    expect(computing.first).to_be_in_viewport()
    number = computing.first.evaluate(NUMBER)
    trail = seen.get_by_role("navigation", name="What is selected")
    expect(trail).to_contain_text(f"triton:{number}")
    expect(lit(seen, "triton").filter(has_text="def ")).to_have_count(1)
    seen.keyboard.press("Escape")


def test_a_line_under_the_pointer_is_lit_faintly_in_the_others(seen: Page) -> None:
    sum_in_triton(seen).hover()
    expect(pane(seen, "ir").locator(".cm-hovered").first).to_be_attached()
    pane(seen, "triton").locator(".pane-head").hover()
    expect(pane(seen, "ir").locator(".cm-hovered")).to_have_count(0)
    expect(seen.locator(".cm-lit")).to_have_count(0)


def test_the_search_counts(seen: Page) -> None:
    choose(seen, "reduce_subtract")
    triton = pane(seen, "triton")
    triton.get_by_role("button", name="Search Triton").click()
    triton.get_by_label("Search in the text").fill("tl.load(")
    expect(triton.get_by_role("status").last).to_have_text("2")
    seen.keyboard.press("Enter")
    expect(triton.get_by_role("status").last).to_have_text("1 of 2")
    seen.keyboard.press("Escape")
    expect(triton.get_by_label("Search in the text")).to_have_count(0)


def test_an_operation_is_explained_where_the_pointer_rests(seen: Page) -> None:
    seen.mouse.move(*place_of(sum_in_triton(seen), "sum("))
    expect(seen.locator(".text-meaning")).to_contain_text("along an axis of the block")


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
    assembly.get_by_role("button", name="More tools of").click()
    assembly.get_by_role("button", name="One more beside").click()
    more = pane(opened, "assembly~2")
    more.get_by_label("PTX: which level").select_option(label="TTIR")
    expect(more.locator(".cm-content")).to_contain_text("arith.")
    expect(assembly.locator(".cm-content")).to_contain_text("ld.param")
    opened.reload()
    expect(more).to_be_visible()
    more.get_by_role("button", name="Close this").click()
    expect(more).to_have_count(0)
