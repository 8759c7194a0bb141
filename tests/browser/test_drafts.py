"""What was written is not lost: by going back, by another tab, by a reload."""

from playwright.sync_api import Page, expect

from tests.browser.steps import GELU, expect_state, new, run, write

PAUSE_MS = 600


def source(page: Page):
    return page.get_by_role("textbox", name="Source")


def test_edits_beside_a_run_come_back_with_it_and_can_be_undone(page: Page) -> None:
    run(page, GELU)
    address = page.url
    write(page, "edited = 1\n")
    expect(page.get_by_text("edited since")).to_be_visible()
    page.go_back()
    expect(source(page)).to_contain_text("bias_gelu")
    page.go_forward()
    expect(page).to_have_url(address)
    expect(source(page)).to_contain_text("edited = 1")
    page.reload()
    expect(source(page)).to_contain_text("edited = 1")
    page.get_by_role("button", name="Undo edits").click()
    expect(source(page)).to_contain_text("bias_gelu")
    page.reload()
    expect_state(page, "done")
    expect(source(page)).to_contain_text("bias_gelu")


def test_edits_that_were_run_are_those_of_the_new_run_alone(page: Page) -> None:
    run(page, GELU)
    second = new(GELU.replace("x + b", "x - b"))
    write(page, second)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("edited since")).to_have_count(0)
    expect_state(page, "done")
    page.go_back()
    expect(source(page)).to_contain_text("x + b")


def test_two_tabs_have_each_its_own_draft(page: Page) -> None:
    page.goto("/")
    write(page, "first = 1\n")
    page.wait_for_timeout(PAUSE_MS)
    other = page.context.new_page()
    other.goto("/")
    expect(source(other)).to_contain_text("first = 1")
    write(other, "second = 2\n")
    other.wait_for_timeout(PAUSE_MS)
    page.reload()
    expect(source(page)).to_contain_text("first = 1")
    other.reload()
    expect(source(other)).to_contain_text("second = 2")
    other.close()
