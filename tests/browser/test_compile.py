"""An example compiles, and its stages and texts appear."""

import re

from playwright.sync_api import Page, Route, expect

from tests.browser.steps import GELU, RUN_MS, expect_state, lit, measure, pane, run, show, write

TWO_PROGRAMS = """import torch

@torch.compile
def first(x):
    return torch.tanh(x) + 1

@torch.compile
def second(x):
    return torch.exp(x) * 2

first(torch.ones(64, 64))
second(torch.ones(64, 64))
"""


def test_example_streams_its_stages_and_shows_every_text(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Examples", exact=True).click()
    shown = page.get_by_role("dialog", name="Examples")
    shown.locator(".example", has_text="Softmax over rows").dblclick()
    page.get_by_role("button", name="Run", exact=True).click()
    stages = page.get_by_role("tree", name="Stages").get_by_role("treeitem")
    expect(stages.first).to_contain_text("capture", timeout=RUN_MS)
    # The first stage is there while the run still goes on.
    assert page.get_by_test_id("state").inner_text() == "running"
    expect_state(page, "done")
    assert stages.count() > 5
    show(page, "IR")
    expect(pane(page, "ir")).to_contain_text("exponential")
    show(page, "Triton")
    expect(pane(page, "triton")).to_contain_text("@triton.jit")
    show(page, "C")
    expect(pane(page, "c")).to_contain_text("omp")
    show(page, "PTX")
    # The pane opens at the first line that the snippet became: the header may lie above it.
    expect(pane(page, "assembly")).to_contain_text(".visible .entry")
    show(page, "Timings")
    expect(pane(page, "timings").get_by_role("row", name=re.compile("^core"))).to_be_visible()


def test_stage_list_is_walked_with_the_arrow_keys(page: Page) -> None:
    run(page, GELU)
    stages = page.get_by_role("tree", name="Stages")
    stages.focus()
    page.keyboard.press("Home")
    expect(stages.get_by_role("treeitem", selected=True)).to_contain_text("capture")
    page.keyboard.press("ArrowDown")
    expect(stages.get_by_role("treeitem", selected=True)).not_to_contain_text("capture")
    expect(page).to_have_url(re.compile("#stage=1"))


def test_unchanged_passes_can_be_hidden(page: Page) -> None:
    run(page, GELU)
    stages = page.get_by_role("tree", name="Stages").get_by_role("treeitem")
    dimmed = page.locator(".stage.dimmed")
    expect(dimmed.first).to_be_visible()
    before = stages.count()
    page.get_by_label("Hide unchanged").check()
    expect(dimmed).to_have_count(0)
    assert 0 < stages.count() < before


def test_pass_is_shown_as_a_difference(page: Page) -> None:
    run(page, GELU.replace("F.gelu(y)", "F.gelu(y) * 1"))
    page.get_by_role("tree", name="Stages").locator(".stage:has(.delta)").first.click()
    changed = pane(page, "ir").locator(".cm-gone, .cm-came")
    expect(changed.first).to_be_visible()


def test_ctrl_enter_runs(page: Page) -> None:
    page.goto("/")
    write(page, GELU)
    measure(page, False)
    page.get_by_role("textbox", name="Source").focus()
    page.keyboard.press("ControlOrMeta+Enter")
    expect_state(page, "done")


def test_draft_survives_a_reload(page: Page) -> None:
    page.goto("/")
    write(page, "# only a draft\n")
    # Not wait_for_function, which evaluates a text: the page's policy forbids that.
    for _ in range(50):
        if page.evaluate("localStorage.getItem('fuselab.draft')") == "# only a draft\n":
            break
        page.wait_for_timeout(50)
    page.reload()
    expect(page.get_by_role("textbox", name="Source")).to_contain_text("# only a draft")


def test_clicked_source_line_lights_up_its_counterparts(page: Page) -> None:
    run(page, GELU)
    show(page, "IR")
    pane(page, "source").locator(".cm-line", has_text="x + b").click()
    expect(lit(page, "ir").first).to_be_visible()
    added = lit(page, "ir").all_inner_texts()
    assert any("add(" in line for line in added)
    assert not any("erf(" in line for line in added)
    for title, name in (("Triton", "triton"), ("C", "c"), ("PTX", "assembly")):
        show(page, title)
        expect(lit(page, name).first).to_be_visible()


def test_line_of_the_ir_lights_up_its_source_by_keyboard(page: Page) -> None:
    run(page, GELU)
    show(page, "IR")
    pane(page, "ir").locator(".cm-line", has_text="erf(").last.click()
    expect(lit(page, "source")).to_have_text(["    return F.gelu(y)"])
    page.keyboard.press("ControlOrMeta+Home")
    for _ in range(8):
        page.keyboard.press("ArrowDown")
        if lit(page, "source").all_inner_texts() == ["    y = x + b"]:
            break
    expect(lit(page, "source")).to_have_text(["    y = x + b"])
    page.keyboard.press("Escape")
    expect(page.locator(".cm-lit")).to_have_count(0)


def test_line_of_another_program_brings_that_program(page: Page) -> None:
    run(page, TWO_PROGRAMS)
    programs = page.get_by_role("group", name="Programs").get_by_role("button")
    expect(programs).to_have_count(2)
    expect(programs.first).to_have_attribute("aria-pressed", "true")
    pane(page, "source").locator(".cm-line", has_text="torch.exp").click()
    expect(programs.last).to_have_attribute("aria-pressed", "true")
    show(page, "IR")
    expect(lit(page, "ir").first).to_be_visible()


def test_banner_says_that_the_sandbox_is_off(page: Page) -> None:
    def unconfined(route: Route) -> None:
        answer = route.fetch()
        changed = answer.text().replace('"sandbox": true', '"sandbox": false')
        route.fulfill(response=answer, body=changed)

    page.route("**/", unconfined)
    page.goto("/")
    expect(page.get_by_role("note")).to_contain_text("The sandbox is off")
