"""What goes wrong is said in place, with the snippet's line and what to do."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import expect_state, new, pane, run, show, write


def problems(page: Page) -> Locator:
    return pane(page, "source").get_by_role("alert")


def test_failing_snippet_shows_its_line_in_the_editor(page: Page) -> None:
    run(page, "import torch\n\ntorch.ones(3) @ torch.ones(4)\n", "failed")
    problem = problems(page)
    expect(problem).to_contain_text(re.compile("size|shape|inconsistent"))
    expect(problem.get_by_role("button", name="Line 3")).to_be_visible()
    show(page, "Output")
    expect(pane(page, "output").locator(".message").first).to_contain_text("line 3")
    marked = pane(page, "source").locator(".cm-lintRange-error")
    expect(marked.first).to_be_visible()
    assert "torch.ones(3)" in marked.first.inner_text()
    expect(pane(page, "ir")).to_contain_text("under the editor stands why")
    expect(page.get_by_text("No program was found")).to_have_count(0)


def test_syntax_error_names_its_line(page: Page) -> None:
    run(page, "def f(x):\n    return x +\n", "failed")
    expect(problems(page).get_by_role("button", name="Line 2")).to_be_visible()


def test_function_for_which_no_inputs_are_found_is_asked_for_them(page: Page) -> None:
    run(
        page, "import torch\n\ndef f(x, y):\n    return torch.tanh(x[0]['a']) * y\n", "needs inputs"
    )
    expect(problems(page)).to_contain_text("nothing calls `f`")
    form = problems(page).locator("form", has_text="f(x, y)")
    form.get_by_role("textbox").fill("[{'a': f32[64,64]}], f32[64,64]")
    form.get_by_role("button", name="Run with these").click()
    expect_state(page, "done")


def test_inputs_that_were_assumed_stand_in_their_field_and_can_be_changed(page: Page) -> None:
    run(page, new("import torch\n\ndef f(x, num_heads):\n    return x.reshape(num_heads, -1)\n"))
    field = page.get_by_label("Inputs")
    expect(field).to_have_value(re.compile(r"^f\(f32\[.*\], 4\)$"))
    show(page, "Output")
    expect(pane(page, "output")).to_contain_text("nothing calls `f`: it is run as f(f32[")
    field.fill("f(f32[6,10], 2)")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("region", name="Verdict")).to_contain_text("f32[6,10]")
    expect_state(page, "done")
    expect(field).to_have_value("f(f32[6,10], 2)")


def test_inputs_that_do_not_parse_are_explained_while_typing(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Inputs").fill("f32[3,")
    expect(page.locator("[id$=inputs-hint]")).to_contain_text("not closed")


def test_an_empty_editor_is_told_what_to_do(page: Page) -> None:
    page.goto("/")
    write(page, " ")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(problems(page)).to_contain_text("The source is empty. Paste a PyTorch or JAX snippet.")


def test_fault_that_ends_snippet_and_capture_at_one_line_is_told_once(page: Page) -> None:
    call = "f(torch.ones(4, 5), torch.ones(6, 7))"
    run(page, f"import torch\n@torch.compile\ndef f(x, w):\n    return x @ w\n{call}\n", "failed")
    expect(problems(page).locator(".problem")).to_have_count(1)
    expect(problems(page)).to_contain_text("cannot be multiplied (4x5 and 6x7)")


def test_refused_request_is_one_sentence_on_the_page(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Inputs").fill("f32[3,")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(problems(page)).to_contain_text("The inputs cannot be read")
