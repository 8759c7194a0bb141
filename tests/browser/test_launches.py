"""Launches that one choice made: its candidates and its cost are shown once, with the first."""

from collections.abc import Callable

import pytest
from msgspec import structs
from playwright.sync_api import Locator, Page, expect

from compiler_core import report
from tests.browser.steps import pane, show
from tests.several_graphs import kernel, whole

IDS = ["k0_matmul", "k1_reduce_multiply_add"]
ONE_LINE_PX = 24


@pytest.fixture(scope="module")
def address(store: Callable[[bytes], str]) -> str:
    found = whole()
    product, after = (kernel(name, [0], "piece1", "cpu") for name in IDS)
    product = structs.replace(product, kind="matmul", library="matmul", chosen_with=IDS)
    found.programs[0].kernels = [product, structs.replace(after, chosen_with=IDS)]
    return store(report.encode_report(found))


@pytest.fixture
def launches(page: Page, address: str) -> Locator:
    page.goto(address)
    show(page, "Kernels")
    return pane(page, "kernels").locator("tbody tr:not(.section)")


def test_the_first_shows_what_all_cost_together(launches: Locator) -> None:
    expect(launches.first).to_contain_text("≈ 2.50 µs for 2 launches")
    expect(launches.first.get_by_role("button", name="3 candidates")).to_be_visible()


def test_the_others_name_the_first(launches: Locator) -> None:
    expect(launches.nth(1)).to_contain_text("one choice with k0_matmul")
    expect(launches.nth(1)).not_to_contain_text("2.50")
    expect(launches.nth(1).get_by_role("button", name="candidates")).to_have_count(0)


def test_a_name_is_one_line(launches: Locator) -> None:
    name = launches.nth(1).get_by_role("rowheader").locator("code")
    expect(name).to_have_text(IDS[1])
    assert name.evaluate("e => e.getBoundingClientRect().height") < ONE_LINE_PX


def test_a_library_call_is_told_apart_from_a_kernel_of_its_kind(launches: Locator) -> None:
    expect(launches.first.locator(".tag")).to_have_text("library")


def test_above_them_stands_what_they_are_in_all(page: Page, launches: Locator) -> None:
    head = pane(page, "kernels").locator("tr.section").first
    expect(head).to_contain_text("2 launches: 1 kernel and 1 library call")
