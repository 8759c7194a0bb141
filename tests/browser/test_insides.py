"""Other compilers are looked into: their stages are a tree below the core's, their passes are
compared like the core's own, and their texts are in Reference."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from compiler_core import report
from tests.browser.others import opened_up, other
from tests.browser.steps import (
    GELU,
    expect_state,
    lit,
    measure,
    new,
    open_options,
    pane,
    show,
    write,
)


@pytest.fixture
def opened(page: Page, store: Callable[..., str]) -> Page:
    page.goto(store(report.encode_report(opened_up())))
    expect_state(page, "done")
    return page


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("tree", name="Stages").get_by_role("treeitem", name=name)


def test_a_compilers_stages_are_below_its_heading_until_it_is_opened(opened: Page) -> None:
    heading = row(opened, "XLA")
    expect(heading).to_have_attribute("aria-expanded", "false")
    expect(heading).to_contain_text("3 stages")
    expect(row(opened, "passes")).to_have_count(0)
    heading.click()
    expect(row(opened, "passes")).to_contain_text("2 passes, 1 changed the module")


def test_what_is_below_a_row_at_the_end_of_the_list_is_brought_into_sight(
    page: Page, store: Callable[..., str]
) -> None:
    more = [other(f"pass {number:02}", "passes") for number in range(3, 20)]
    page.goto(store(report.encode_report(opened_up(*more))))
    row(page, "XLA").click()
    row(page, "passes").click()
    expect(row(page, "passes")).to_be_in_viewport(ratio=1)
    expect(row(page, "pass 06")).to_be_in_viewport()


def test_the_tree_is_walked_with_the_arrow_keys(opened: Page) -> None:
    opened.get_by_role("tree", name="Stages").focus()
    for key in ("End", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowDown"):
        opened.keyboard.press(key)
    expect(row(opened, "1 algsimp")).to_have_attribute("aria-selected", "true")
    expect(row(opened, "1 algsimp")).to_have_attribute("aria-level", "3")
    expect(pane(opened, "ir")).to_contain_text("%p = power(a, 2)")
    opened.keyboard.press("ArrowLeft")
    opened.keyboard.press("ArrowLeft")
    expect(row(opened, "passes")).to_have_attribute("aria-expanded", "false")
    expect(row(opened, "1 algsimp")).to_have_count(0)


def test_a_link_to_a_pass_opens_the_rows_above_it(opened: Page) -> None:
    opened.goto(f"{opened.url}#stage=3")
    opened.reload()
    expect(row(opened, "1 algsimp")).to_have_attribute("aria-selected", "true")
    expect(pane(opened, "ir").locator(".cm-gone, .cm-came").first).to_be_visible()


def test_what_is_no_pass_is_in_reference_and_has_the_line_map(opened: Page) -> None:
    row(opened, "XLA").click()
    row(opened, "lowered").click()
    expect(pane(opened, "reference")).to_contain_text("%a = add(x, b)")
    pane(opened, "source").locator(".cm-line", has_text="x + b").click()
    expect(lit(opened, "reference")).to_have_text(["%a = add(x, b)"])


def test_what_is_ticked_is_looked_into(page: Page) -> None:
    page.goto("/")
    write(page, new(GELU))
    measure(page, False)
    open_options(page)
    page.get_by_text("Look inside other compilers").click()
    page.get_by_role("group", name="Look inside").get_by_label("XLA").check()
    page.get_by_role("button", name="Run", exact=True).click()
    expect_state(page, "done")
    show(page, "Stages")
    expect(row(page, "XLA")).to_contain_text(re.compile(r"\d+ (pass|stage)"))
