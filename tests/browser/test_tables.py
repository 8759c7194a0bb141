"""A stage's tables: sorted, filtered, saved; rows light up what they speak of, however many."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from compiler_core import report
from compiler_core.report import Column, Row, Table
from tests.browser.others import opened_up, other
from tests.browser.steps import expect_state, go, lit, pane, show

COUNT = 5_000
COLUMNS = [Column("Instruction"), Column("Bytes", "bytes", "what it writes"), Column("Why")]
# Sizes in no order, each once.
ROWS = [
    Row([f"add.{i}", i * 7919 % COUNT * 4, None if i % 2 else "temporary"], [i % 2], 5 + i % 2)
    for i in range(COUNT)
]


@pytest.fixture
def page(kept_page: Page) -> Page:
    """One page, on which each test shows its run anew."""
    return kept_page


@pytest.fixture(scope="module")
def address(store: Callable[..., str]) -> str:
    table = Table("instructions", COLUMNS, ROWS, "Each instruction with what it writes.")
    return store(report.encode_report(opened_up(other("buffers", tables=[table]))))


@pytest.fixture
def tables(page: Page, address: str) -> Locator:
    go(page, f"{address}#stage=5")
    expect_state(page, "done")
    show(page, "Tables")
    return pane(page, "tables")


def first(tables: Locator) -> Locator:
    return tables.locator("tbody tr[aria-rowindex]").first


def test_rows_are_sorted_by_a_press_on_a_title(tables: Locator) -> None:
    bytes_ = tables.get_by_role("columnheader", name="Bytes")
    bytes_.get_by_role("button").click()
    expect(bytes_).to_have_attribute("aria-sort", "descending")
    expect(first(tables)).to_contain_text("19.5")
    bytes_.get_by_role("button").click()
    expect(first(tables)).to_contain_text("add.0")


def test_rows_are_filtered(tables: Locator) -> None:
    tables.get_by_role("searchbox").fill("add.4998 temporary")
    expect(tables.get_by_role("status")).to_have_text("1 of 5\u2009000 rows")
    expect(first(tables)).to_contain_text("add.4998")


def test_only_rows_in_sight_are_drawn_and_the_keys_reach_the_last(
    page: Page, tables: Locator
) -> None:
    expect(first(tables)).to_be_visible()
    assert tables.locator("tbody tr").count() < 100
    tables.get_by_role("grid").focus()
    start = time.monotonic()
    page.keyboard.press("End")
    expect(tables.get_by_role("row", name="add.4999")).to_have_attribute("aria-selected", "true")
    expect(tables.get_by_role("row", name="add.4999")).to_be_in_viewport()
    assert time.monotonic() - start < 5


def test_a_row_lights_up_what_it_speaks_of_and_its_line_is_a_way_there(
    page: Page, tables: Locator
) -> None:
    first(tables).click()
    expect(lit(page, "source")).to_have_text(["    y = x + b"])
    expect(tables.get_by_label("The row in full")).to_contain_text("temporary")
    tables.get_by_role("button", name="Line 6").first.click()
    expect(lit(page, "source")).to_have_text(["    return y * y"])


def test_a_line_lights_up_its_rows(page: Page, tables: Locator) -> None:
    pane(page, "source").locator(".cm-line", has_text="y * y").click()
    expect(tables.locator("tr.lit").first).to_contain_text("add.1")


def test_a_table_is_saved_as_csv(page: Page, tables: Locator, tmp_path: Path) -> None:
    with page.expect_download() as download:
        tables.get_by_role("button", name="Download instructions as CSV").click()
    path = tmp_path / "table.csv"
    download.value.save_as(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["Instruction,Bytes (bytes),Why,line", "add.0,0,temporary,5"]
    assert len(lines) == COUNT + 1


def test_beside_a_stage_without_a_table_the_first_that_there_is_is_shown(
    page: Page, address: str
) -> None:
    go(page, f"{address}#stage=1")
    expect_state(page, "done")
    show(page, "Tables")
    expect(pane(page, "tables").get_by_label("Which table")).to_contain_text("instructions")
    expect(first(pane(page, "tables"))).to_be_visible()
