"""The gallery on the page: chapters, a search, and what to look at and to try beside the editor."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import DESKS, SIZES, sized, violations
from tests.browser.steps import expect_state, lit, pane
from tests.sweep_plugin import thinned

FIVE_LINES_PX = 100


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


def test_what_there_is_to_look_at_is_chosen_when_an_example_has_been_run(page: Page) -> None:
    shown = gallery(page)
    row(shown, "The same expression written twice").click()
    shown.get_by_role("button", name="Open and run").click()
    expect_state(page, "done")
    expect(lit(page, "source")).to_have_text([re.compile("down = 1 / jnp.exp")])
    expect(lit(page, "source")).to_be_in_viewport(ratio=0.5)
    stage = page.get_by_role("treeitem", selected=True)
    expect(stage).to_contain_text("common-subexpressions")
    page.get_by_role("treeitem", name=re.compile("^ok capture")).click()
    page.get_by_role("button", name="Show IR").click()
    expect(stage).to_contain_text("common-subexpressions")


def test_one_example_leads_to_the_next_and_back(page: Page) -> None:
    shown = gallery(page)
    row(shown, "GELU of a biased input").dblclick()
    page.get_by_role("button", name="Previous example: A chain of").click()
    lesson = page.get_by_role("complementary", name="A chain of small elementwise operations")
    expect(lesson).to_be_visible()
    expect(source(page)).to_contain_text("def squash(x)")
    expect_state(page, "done")
    expect(page.get_by_role("button", name="Previous example: there is none")).to_be_disabled()
    page.get_by_role("button", name="Next example: GELU of a biased input").click()
    expect(source(page)).to_contain_text("def bias_gelu")
    expect_state(page, "done")


def test_what_is_code_in_a_lesson_is_set_as_code(page: Page) -> None:
    shown = gallery(page)
    row(shown, "Times one").click()
    expect(shown.locator(".gallery-about p code", has_text="x * 0")).to_be_visible()
    row(shown, "Times one").dblclick()
    lesson = page.get_by_role("complementary", name="Times one")
    expect(lesson.locator("code", has_text="x * 0")).to_be_visible()
    expect(lesson).not_to_contain_text("`")


@pytest.mark.parametrize("size", DESKS)
def test_all_of_a_lesson_is_in_sight_and_so_is_what_it_is_about(page: Page, size: str) -> None:
    sized(page, size)
    shown = gallery(page)
    row(shown, "A Python loop over steps").dblclick()
    lesson = page.get_by_role("complementary", name="A Python loop over steps")
    text = lesson.locator(".callout-text")
    expect(text).to_be_in_viewport(ratio=1)
    assert lesson.evaluate("e => e.scrollHeight <= e.clientHeight")
    editor = pane(page, "source").locator(".cm-scroller").bounding_box()
    assert editor and editor["height"] >= FIVE_LINES_PX


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
