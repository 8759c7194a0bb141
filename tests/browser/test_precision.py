"""Which kernel loses precision: the table under the numerics, and the bars of the kernels."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from compiler_core import report
from tests.browser import api
from tests.browser.axe import SIZES, sized
from tests.browser.steps import lit, pane, show

# Line 4 sorts, which is exact; line 5 cancels.
CANCELS = """# inputs: f32[64,128]
import torch
def versine(x):
    y = torch.sort(x, -1)[0]
    return 1 - torch.cos(y * 1e-3)
"""


@pytest.fixture(scope="module")
def address(live_stack: str) -> str:
    return api.ended(live_stack, CANCELS, measure=False).address


@pytest.fixture
def rows(page: Page, address: str) -> Locator:
    page.goto(address)
    show(page, "Numerics")
    return pane(page, "numerics").locator(".error-table tbody tr")


def test_the_kernel_that_loses_most_comes_first_with_what_eager_loses(rows: Locator) -> None:
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("cosine")
    expect(rows.first.locator("td").nth(0)).to_contain_text("ulp")
    expect(rows.first.locator("td").nth(1)).to_contain_text("ulp")
    expect(rows.first).to_contain_text("instead of")
    expect(rows.last).to_contain_text("sort")
    expect(rows.last.locator("td").nth(0)).to_have_text("0")


def test_a_click_selects_the_kernel_and_its_line(page: Page, rows: Locator) -> None:
    rows.first.get_by_role("button").first.click()
    expect(rows.first).to_have_class("lit")
    expect(lit(page, "source").filter(has_text="torch.cos")).to_have_count(1)


def test_every_kernel_that_ran_has_a_bar(page: Page, address: str) -> None:
    page.goto(address)
    show(page, "Kernels")
    bars = pane(page, "kernels").locator(".error-bar")
    expect(bars).to_have_count(2)
    told = sorted(str(bar.get_attribute("aria-label")) for bar in bars.all())
    assert [text.partition(": ")[2][:5] for text in told] == ["exact", "a rel"]


def test_what_was_not_looked_at_has_no_heading(page: Page, store: Callable[..., str]) -> None:
    numerics = {"core": report.Numerics(1e-7, 1e-6, True)}
    program = report.Program("f", "torch", backend="cpu", numerics=numerics)
    page.goto(store(report.encode_report(report.Report(programs=[program]))))
    show(page, "Numerics")
    expect(pane(page, "numerics")).to_contain_text("within")
    expect(pane(page, "numerics")).not_to_contain_text("Where precision is lost")


CUT = """svg => [...svg.querySelectorAll('text.compiler')]
  .filter(text => text.getBoundingClientRect().left < svg.getBoundingClientRect().left)
  .map(text => text.textContent)"""


def test_the_names_before_the_plots_rows_are_not_cut(page: Page, address: str) -> None:
    page.goto(address)
    show(page, "Numerics")
    plot = pane(page, "numerics").locator("svg:has(.error-row)")
    expect(plot.locator(".error-row").first).to_be_visible()
    assert plot.evaluate(CUT) == []


def test_the_table_scrolls_within_itself_on_a_phone(page: Page, address: str) -> None:
    sized(page, "phone")
    page.goto(address)
    show(page, "Numerics")
    expect(pane(page, "numerics")).to_contain_text("Where precision is lost")
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES["phone"][0]
    # Whether it is right is seen without a scroll.
    expect(page.get_by_role("cell", name="within").first).to_be_in_viewport(ratio=1)
