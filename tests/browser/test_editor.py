"""The editor: what it completes, formats and shows; and what belongs to whoever writes in it."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import SIZES, sized, violations
from tests.browser.steps import GELU, RUN_MS, expect_state, go, measure, new, pane, run, write
from tests.sweep_plugin import thinned

HEAD = "import torch.nn.functional as F\n\n"


def editor(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Source")


def desk(page: Page, tab: str) -> Locator:
    page.get_by_role("button", name="Your runs, history, editor").click()
    shown = page.get_by_role("dialog", name="Editor, history and your runs")
    shown.get_by_role("tab", name=tab).click()
    return shown


def test_names_of_the_frameworks_and_of_the_snippet_are_completed(page: Page) -> None:
    page.goto("/")
    expect(pane(page, "source").locator(".cm-line span").first).to_be_visible()
    write(page, HEAD + "def my_function(x):\n    return F.ge")
    page.keyboard.type("l")
    options = page.get_by_role("listbox").get_by_role("option")
    expect(options.filter(has_text="gelu")).to_contain_text("(input, approximate='none')")
    page.wait_for_timeout(100)
    page.keyboard.press("Enter")
    expect(editor(page)).to_contain_text("return F.gelu")
    page.keyboard.type("(x)\n\n\nmy_f")
    expect(options.filter(has_text="my_function")).to_be_visible()


def test_signs_that_are_not_seen_are_shown_by_name(page: Page) -> None:
    page.goto("/")
    write(page, "access = 'user\u202e \u2066# admin\u2069'\u00a0\u200b\n")
    marks = pane(page, "source").locator(".cm-unseen")
    expect(marks).to_have_text(["U+202E", "U+2066", "U+2069", "U+00A0", "U+200B"])


@pytest.mark.parametrize("size", thinned(SIZES, kept=("desk", "phone")))
def test_nothing_lies_over_the_end_of_a_first_line(page: Page, size: str) -> None:
    sized(page, size)
    page.goto("/")
    write(page, "# " + "a comment that goes on " * 9)
    line = pane(page, "source").locator(".cm-content").bounding_box()
    frame = pane(page, "source").locator(".cm-scroller").bounding_box()
    assert line and frame
    at = {"x": frame["x"] + frame["width"] - 30, "y": line["y"] + 14}
    seen = "({x, y}) => document.elementFromPoint(x, y).closest('.cm-line') !== null"
    assert page.evaluate(seen, at)


def test_a_text_is_formatted_as_ruff_does_and_one_that_is_no_python_is_refused(page: Page) -> None:
    page.goto("/")
    write(page, "def f( x ):\n  return  x+1\n")
    page.keyboard.press("Shift+Alt+F")
    lines = pane(page, "source").locator(".cm-line")
    expect(lines).to_have_text(["def f(x):", "    return x + 1", ""])
    write(page, "def (:\n")
    page.keyboard.press("Shift+Alt+F")
    expect(page.locator(".toast")).to_contain_text("Expected")
    expect(lines).to_have_text(["def (:", ""])


def test_vims_keys_are_had_and_kept(page: Page) -> None:
    page.goto("/")
    write(page, "one = 1\ntwo = 2\n")
    desk(page, "Editor").get_by_label("Vim keys").check()
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator(".cm-vimMode, .cm-fat-cursor, .cm-vim-panel").first).to_be_attached()
    editor(page).click()
    hint, mode = page.locator(".editor-hint").first.bounding_box(), page.locator(".cm-vim-panel")
    above = mode.bounding_box()
    assert hint and above and above["y"] + above["height"] <= hint["y"], "how to leave is in sight"
    page.keyboard.type("ggdd")
    expect(editor(page)).not_to_contain_text("one = 1")
    page.keyboard.type("iz = 3 ")
    page.keyboard.press("Escape")
    expect(editor(page)).to_contain_text("z = 3 two = 2")
    desk(page, "Editor").get_by_label("Vim keys").uncheck()
    page.keyboard.press("Escape")
    editor(page).click()
    page.keyboard.type("gg")
    expect(editor(page)).to_contain_text("gg")


def test_a_changed_text_is_run_on_pause_and_the_writer_stays(page: Page) -> None:
    page.goto("/")
    measure(page, False)
    desk(page, "Editor").get_by_label("Run on pause").check()
    page.keyboard.press("Escape")
    write(page, new(GELU))
    expect(page.get_by_test_id("state")).to_have_text("done", timeout=RUN_MS)
    expect(editor(page)).to_be_focused()
    first = page.url
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("# and more")
    expect(page).not_to_have_url(first)
    expect_state(page, "done")


def test_a_text_that_had_to_make_room_is_put_back(page: Page, compiled: str) -> None:
    page.goto("/")
    write(page, "def written_by_hand(x):\n    return x\n")
    go(page, compiled)
    expect_state(page, "done")
    shown = desk(page, "History")
    entry = shown.get_by_role("listitem").filter(has_text="written_by_hand")
    entry.get_by_role("button", name=re.compile("^written_by_hand")).click()
    expect(entry.get_by_role("region", name="The text")).to_contain_text("return x")
    entry.get_by_role("button", name="Put back").click()
    expect(editor(page)).to_contain_text("written_by_hand")


def test_ones_runs_are_listed_renamed_and_deleted(page: Page) -> None:
    run(page, new(GELU))
    address = page.url
    entry = desk(page, "Your runs").get_by_role("listitem").first
    expect(entry).to_contain_text("launch")
    entry.get_by_role("button", name=re.compile("^Rename")).click()
    name = entry.get_by_role("textbox")
    expect(name).to_be_focused()
    name.fill("My first GELU")
    page.keyboard.press("Enter")
    expect(entry.get_by_role("link", name="My first GELU")).to_be_visible()
    entry.get_by_role("button", name="Delete My first GELU").click()
    entry.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("link", name="My first GELU")).to_have_count(0)
    expect(page).to_have_url(re.compile("/$"))
    assert page.request.get(address).status == 404


def test_a_tab_is_shown_when_the_arrows_come_to_it(page: Page, compiled: str) -> None:
    go(page, compiled)
    page.get_by_role("tab", name="IR").focus()
    page.keyboard.press("ArrowRight")
    fusion = page.get_by_role("tab", name="Fusion")
    expect(fusion).to_have_attribute("aria-selected", "true")
    expect(fusion).to_be_focused()
    page.keyboard.press("Delete")
    expect(fusion).to_be_focused()
    page.keyboard.press("Home")
    expect(page.get_by_role("tab", name="IR")).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("size", thinned(SIZES, kept=("phone",)))
def test_axe_finds_nothing_in_what_is_yours(page: Page, size: str) -> None:
    sized(page, size)
    run(page, "1 +\n", "failed")
    shown = desk(page, "Editor")
    assert violations(page) == []
    page.keyboard.press("ArrowLeft")
    expect(shown.get_by_role("tab", name="History")).to_be_focused()
    assert violations(page) == []
    page.keyboard.press("ArrowLeft")
    expect(shown.get_by_role("listitem").first).to_be_visible()
    assert violations(page) == []
