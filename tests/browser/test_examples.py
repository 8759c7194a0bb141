"""The gallery on the page: chapters, a search, and what to look at and to try beside the editor."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import SIZES, sized, violations
from tests.browser.steps import expect_state, pane
from tests.sweep_plugin import thinned


def gallery(page: Page) -> Locator:
    page.goto("/")
    page.get_by_role("button", name="Examples", exact=True).click()
    return page.get_by_role("dialog", name="Examples")


def source(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Source")


def row(shown: Locator, title: str) -> Locator:
    return shown.locator(".example", has_text=title)


@pytest.mark.parametrize("size", thinned(SIZES, kept=("desk",)))
def test_an_example_is_found_read_and_opened(page: Page, size: str) -> None:
    sized(page, size)
    shown = gallery(page)
    expect(shown.locator(".example")).not_to_have_count(0)
    assert shown.locator(".chapters section").count() > 10
    assert violations(page) == []
    shown.get_by_label("Search the examples").fill("views undo")
    expect(shown.get_by_role("status")).to_contain_text("1 of ")
    row(shown, "There and back").click()
    about = shown.get_by_role("region", name="There and back")
    expect(about).to_contain_text("Transposes and reshapes move no bytes")
    expect(about).to_contain_text("x.transpose(1, 2)")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    about.get_by_role("button", name="Open", exact=True).click()
    expect(shown).to_have_count(0)
    expect(source(page)).to_contain_text("there_and_back")
    lesson = page.get_by_role("complementary", name="There and back")
    expect(lesson).to_contain_text("Look.")
    expect(lesson).to_contain_text("Try.")
    assert violations(page) == []


def test_the_gallery_is_walked_and_left_by_keys_alone(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Examples", exact=True).focus()
    page.keyboard.press("Enter")
    shown = page.get_by_role("dialog", name="Examples")
    expect(shown.get_by_label("Search the examples")).to_be_focused()
    page.keyboard.type("softmax")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(shown.locator(".example").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    second = shown.locator(".example").nth(1)
    expect(second).to_be_focused()
    expect(second).to_have_attribute("aria-current", "true")
    page.keyboard.press("Home")
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)
    expect(page.get_by_role("button", name="Examples", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("times one")
    row(shown, "Times one").focus()
    page.keyboard.press("Enter")
    expect(source(page)).to_contain_text("def same(x)")


def test_what_was_asked_for_another_text_is_not_asked_for_an_example(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Inputs").fill("f32[3]")
    page.get_by_role("button", name="Examples", exact=True).click()
    shown = page.get_by_role("dialog", name="Examples")
    row(shown, "Times one").dblclick()
    expect(page.get_by_label("Inputs")).to_have_value("")


def test_an_example_is_run_and_its_lesson_leads_to_the_pane(page: Page) -> None:
    shown = gallery(page)
    row(shown, "There and back").click()
    shown.get_by_role("button", name="Open and run").click()
    expect_state(page, "done")
    lesson = page.get_by_role("complementary", name="There and back")
    lesson.get_by_role("button", name="Show IR").click()
    expect(pane(page, "ir").locator(".cm-content")).to_be_visible()
    page.get_by_role("button", name="Dismiss: There and back").click()
    expect(lesson).to_have_count(0)
    page.reload()
    expect_state(page, "done")
    expect(lesson).to_have_count(0)


def test_what_an_example_wants_looked_into_is_ticked_so_that_its_mesh_is_there(page: Page) -> None:
    shown = gallery(page)
    row(shown, "A product summed over devices").click()
    shown.get_by_role("button", name="Open and run").click()
    expect(page.get_by_label("Options").get_by_text("inside Sharding")).to_be_visible()
    expect_state(page, "done")
    lesson = page.get_by_role("complementary", name="A product summed over devices")
    lesson.get_by_role("button", name="Show Mesh").click()
    expect(pane(page, "mesh").get_by_role("img", name="A mesh of")).to_be_visible()
    sent = pane(page, "mesh").get_by_role("region", name="What devices send each other")
    expect(sent.get_by_role("row", name="all-reduce")).to_be_visible()
