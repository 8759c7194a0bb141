"""Inputs by argument: the form is made of the signature, and writes the text of the field."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import SIZES, sized, violations
from tests.browser.steps import expect_state, measure, pane, run, show, write
from tests.sweep_plugin import thinned

NET = """import torch


class Net(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(width))

    def forward(self, x, offset=0.5):
        return torch.sqrt(x) * self.scale + offset
"""


def form(page: Page) -> Locator:
    page.get_by_role("button", name="Form", exact=True).click()
    return page.get_by_role("dialog", name="Inputs")


@pytest.mark.parametrize("size", thinned(SIZES, kept=("desk",)))
def test_the_form_has_the_parameters_and_writes_the_text(page: Page, size: str) -> None:
    sized(page, size)
    page.goto("/")
    write(page, "def f(x, count):\n    return x * count\n")
    shown = form(page)
    expect(shown).to_contain_text("Nothing is known of these yet")
    shown.get_by_label("Type of count").select_option("value")
    shown.get_by_label("Value of count").fill("3")
    shown.get_by_label("Type of x").select_option("bf16")
    shown.get_by_label("Sizes of x").fill("B=8,")
    expect(shown.get_by_role("button", name="Use these")).to_be_disabled()
    shown.get_by_label("Sizes of x").fill("B=8,16")
    shown.get_by_label("Values of x").select_option("uniform")
    shown.get_by_label("Numbers of x").fill("2,3")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shown.get_by_role("button", name="Use these").click()
    field = pane(page, "source").locator("input[id$=inputs]")
    expect(field).to_have_value("f(bf16[B=8,16]~uniform(2,3), 3)")
    again = form(page)
    expect(again.get_by_label("Numbers of x")).to_have_value("2,3")
    page.keyboard.press("Escape")
    expect(again).to_have_count(0)
    expect(page.get_by_role("button", name="Form", exact=True)).to_be_focused()


# With its arrow, and what a field has around its text.
ROOM_PX = 40
NEEDED = """field => {
    const pen = document.createElement("canvas").getContext("2d")
    pen.font = getComputedStyle(field).font
    return Math.max(...[...field.options].map(option => pen.measureText(option.text).width))
}"""


def test_on_a_phone_what_values_are_is_read_whole(page: Page) -> None:
    sized(page, "phone")
    page.goto("/")
    write(page, "# inputs: f32[8]\ndef f(x):\n    return x\n")
    field = form(page).get_by_label("Values of x")
    box = field.bounding_box()
    assert box and box["width"] >= field.evaluate(NEEDED) + ROOM_PX


def test_a_module_is_constructed_and_called_as_the_form_says(page: Page) -> None:
    page.goto("/")
    write(page, NET)
    measure(page, False)
    shown = form(page)
    shown.get_by_label("Value of width").fill("16")
    shown.get_by_label("Sizes of x").fill("4,16")
    shown.get_by_label("Values of x").select_option("constant")
    shown.get_by_label("Numbers of x").fill("4")
    shown.get_by_label("Value of offset").fill("0.25")
    shown.get_by_role("button", name="Run with these").click()
    expect_state(page, "done")
    expect(page.locator(".strip-inputs")).to_have_text("inputs f32[4,16]")
    show(page, "Captured")
    expect(pane(page, "captured")).to_contain_text("0.25")


def test_the_call_that_a_snippet_makes_is_shown_and_takes_another_size(page: Page) -> None:
    source = "import torch\n\ndef f(x, n, shift=0.5):\n    return torch.relu(x) * n + shift\n\n"
    run(page, source + "torch.compile(f)(torch.ones(4, 8), 3)\n")
    field = pane(page, "source").locator("input[id$=inputs]")
    expect(field).to_have_value("f(f32[4,8], 3)")
    expect(pane(page, "source")).to_contain_text("as the snippet says")
    shown = form(page)
    # What the call leaves as usual can be changed as well, and is written only then.
    expect(shown.get_by_label("Value of shift")).to_have_value("0.5")
    expect(shown.get_by_role("status")).to_contain_text("f(f32[4,8], 3)")
    shown.get_by_label("Value of shift").fill("0.25")
    expect(shown.get_by_role("status")).to_contain_text("f(f32[4,8], 3, shift=0.25)")
    page.keyboard.press("Escape")
    field.fill("f(f32[16,8], 5)")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".strip-inputs")).to_have_text("inputs f32[16,8]")
    expect_state(page, "done")
    expect(field).to_have_value("f(f32[16,8], 5)")
