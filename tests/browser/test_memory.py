"""The memory plan is drawn: addresses by step, the core's and that of a compiler looked into."""

import re
from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from compiler_core import report
from compiler_core.report import Buffer
from tests.browser.axe import SIZES, sized
from tests.browser.others import opened_up
from tests.browser.steps import expect_state, lit, pane, show

PLAN = [
    Buffer("x", "f32[1024]", 4096, None, 0, 3, [0]),
    Buffer("b1", "f32[1024]", 4096, 0, 0, 1, [0]),
    Buffer("b2", "f32[1024]", 4096, 4096, 1, 3, [1]),
    Buffer("b3", "f32[1024]", 4096, 0, 2, 3, [1]),
]
OTHERS = [Buffer("fusion.1", "f32[64]", 256, 0, 2, 4, [0], compiler="xla")]


@pytest.fixture(scope="module")
def drawn(kept_page: Page, store: Callable[..., str]) -> Page:
    kept_page.goto(store(report.encode_report(opened_up(buffers=[*PLAN, *OTHERS]))))
    expect_state(kept_page, "done")
    show(kept_page, "Memory")
    return kept_page


def test_each_buffer_is_a_rectangle_from_its_first_step_to_its_last_at_its_address(drawn: Page):
    picture = pane(drawn, "memory").get_by_role("img", name="3 buffers over 4 steps")
    expect(picture).to_be_visible()
    boxes = [box.bounding_box() for box in picture.locator("rect").all()]
    first, second, third = (box for box in boxes if box is not None)
    assert first["y"] == third["y"] < second["y"]  # b3 uses b1's memory again
    assert first["x"] < second["x"] < third["x"]
    assert abs(first["x"] + first["width"] - third["x"]) <= 2
    expect(pane(drawn, "memory")).to_contain_text("3 buffers of 12.0 KiB share 8.00 KiB.")


def test_a_click_on_a_rectangle_selects_what_it_holds(drawn: Page):
    pane(drawn, "memory").get_by_role("img").first.locator("rect").first.click()
    expect(lit(drawn, "source")).to_have_text(["    y = x + b"])


def test_another_compilers_plan_stands_under_its_name(drawn: Page):
    headings = pane(drawn, "memory").get_by_role("heading")
    expect(headings).to_have_text(["Fuselab ", "XLA"])
    expect(pane(drawn, "memory").get_by_role("img", name="1 buffer over 5 steps")).to_be_visible()


def test_on_a_phone_a_long_name_leaves_room_for_what_is_said_of_it(
    page: Page, store: Callable[..., str]
) -> None:
    name = "k2_reduce_divide_multiply_matmul_add_logistic_multiply"
    long = Buffer(name, "f32[8]", 32, 0, 0, 1)
    sized(page, "phone")
    page.goto(store(report.encode_report(opened_up(buffers=[*PLAN, long]))))
    expect_state(page, "done")
    show(page, "Memory")
    row = pane(page, "memory").get_by_role("row").filter(has_text="logistic")
    row.scroll_into_view_if_needed()
    for cell in (row.get_by_role("rowheader"), *row.get_by_role("cell").all()):
        box = cell.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= SIZES["phone"][0]


# The contrast of two colours as a browser paints them, as WCAG has it.
CONTRAST = """(text) => {
  const brush = document.createElement("canvas").getContext("2d");
  const luminance = colour => {
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...brush.getImageData(0, 0, 1, 1).data].map(each => each / 255)
      .map(each => each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const both = [text, text.parentElement.querySelector("rect")]
    .map(each => luminance(getComputedStyle(each).fill)).sort((a, b) => b - a);
  return (both[0] + 0.05) / (both[1] + 0.05);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_name_in_a_lit_rectangle_is_read(
    page: Page, store: Callable[..., str], theme: Literal["light", "dark"]
) -> None:
    kernels = [
        report.Kernel(f"k{i}_add", "elementwise", None, [], 8, 8, [1], nodes=[i]) for i in range(4)
    ]
    hued = [
        Buffer(kernel.id, "f32[1024]", 4096, 4096 * i, 0, 1, [i])
        for i, kernel in enumerate(kernels)
    ]
    page.emulate_media(color_scheme=theme)
    page.goto(store(report.encode_report(opened_up(kernels=kernels, buffers=hued))))
    expect_state(page, "done")
    show(page, "Memory")
    rectangles = pane(page, "memory").locator("g.memory")
    expect(rectangles).to_have_count(4)
    for rectangle in rectangles.all():
        rectangle.click()
        expect(rectangle).to_have_class(re.compile("lit"))
        assert rectangle.locator("text").evaluate(CONTRAST) >= 4.5
