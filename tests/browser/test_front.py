"""The first minute: a finished example, notes on what to look at, and a way to one's own."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser.axe import SIZES, sized, violations
from tests.browser.steps import GELU, PHONE, expect_state, focused, lit, pane, show, write
from tests.sweep_plugin import thinned

CHOSEN = "torch.rsqrt"
# After it what was written is kept.
PAUSE_MS = 600
PASTE = """text => {
    const given = new DataTransfer()
    given.setData("text/plain", text)
    const paste = {clipboardData: given, bubbles: true, cancelable: true}
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", paste))
}"""


LOW: ViewportSize = {"width": 1280, "height": 720}


@pytest.fixture
def first(chromium: Browser, live_stack: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The page of somebody who has never been here, and whose console stays empty."""
    complaints: list[str] = []
    size = getattr(request, "param", {"width": 1440, "height": 900})
    context = chromium.new_context(base_url=live_stack, viewport=size)
    page = context.new_page()
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/")
    expect_state(page, "stored")
    yield page
    context.close()
    assert complaints == []


def source(page: Page):
    return page.get_by_role("textbox", name="Source")


def notes(page: Page):
    return page.locator(".callout")


def test_the_front_page_opens_on_a_finished_example_with_a_line_chosen(first: Page) -> None:
    expect(lit(first, "source")).to_contain_text([CHOSEN])
    expect(lit(first, "source")).to_be_in_viewport()
    expect(lit(first, "triton").first).to_be_visible()
    expect(notes(first)).to_have_count(3)
    expect(first.get_by_role("region", name="Verdict")).to_contain_text("TorchInductor")
    expect(pane(first, "timings").locator("svg").first).to_be_visible()
    expect(first.locator(".empty")).to_have_count(0)
    # It says whose figures these are.
    expect(first.locator(".status")).to_contain_text("example · ")
    assert first.url.endswith("/")


@pytest.mark.parametrize("first", [LOW], indirect=True)
def test_on_a_low_screen_the_chosen_line_is_in_sight(first: Page) -> None:
    expect(notes(first)).to_have_count(3)
    expect(lit(first, "source")).to_be_in_viewport(ratio=0.5)


def test_on_a_phone_each_note_leads_to_the_next(chromium: Browser, live_stack: str) -> None:
    context = chromium.new_context(base_url=live_stack, viewport=PHONE, has_touch=True)
    page = context.new_page()
    page.goto("/")
    expect_state(page, "stored")
    said = set[str]()
    for place, pane_name in (("1 of 3", "source"), ("2 of 3", "stages"), ("3 of 3", "triton")):
        note = pane(page, pane_name).locator(".callout")
        expect(note).to_be_in_viewport(ratio=1)
        expect(note).to_contain_text(place)
        said.add(note.get_attribute("aria-label") or "")
        note.get_by_role("button", name="Next:").tap()
    expect(pane(page, "source").locator(".callout")).to_contain_text("1 of 3")
    assert len(said) == 3
    context.close()


WIDER = """name => [...document.querySelectorAll(`[data-pane=${name}] *`)]
  .filter(e => /auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth)
  .map(e => `${e.className}: ${e.scrollWidth} in ${e.clientWidth}`)"""


# Two screens as they are at 200 %.
ZOOMED: tuple[ViewportSize, ...] = (
    {"width": 720, "height": 450},
    {"width": 640, "height": 360},
)


@pytest.mark.parametrize("first", thinned((LOW, *ZOOMED), kept=(LOW, ZOOMED[1])), indirect=True)
def test_on_a_small_screen_no_table_is_cut(first: Page) -> None:
    for title in ("Kernels", "Numerics", "Timings", "Memory"):
        show(first, title)
        expect(pane(first, title.lower()).get_by_role("table").first).to_be_visible()
        assert first.evaluate(WIDER, title.lower()) == [], title


@pytest.mark.parametrize("first", [LOW], indirect=True)
def test_on_a_low_screen_measure_is_in_sight_beside_the_notes(first: Page) -> None:
    expect(notes(first)).to_have_count(3)
    expect(first.get_by_role("checkbox", name="Measure")).to_be_in_viewport()


# The narrower one.
DESKS = [((1440, 900),), ((1280, 720),)]


@pytest.mark.parametrize(("size",), thinned(DESKS, kept=DESKS[1:]))
def test_the_shown_pass_has_its_whole_name_beside_the_lit_lines(
    first: Page, size: tuple[int, int]
) -> None:
    first.set_viewport_size({"width": size[0], "height": size[1]})
    head = pane(first, "ir").locator(".pane-head")
    expect(head.get_by_role("status")).to_contain_text(" of ")
    expect(head.get_by_role("button", name="Switch off")).to_be_visible()
    name = head.locator(".pane-name")
    expect(name).to_have_text("simplify-algebra")
    assert name.evaluate("e => e.scrollWidth <= e.clientWidth")
    head.get_by_role("button", name="More tools").click()
    head.get_by_role("button", name="Maximise").click()
    expect(pane(first, "source")).not_to_be_visible()


@pytest.mark.parametrize("size", thinned(SIZES, kept=("phone",)))
def test_axe_finds_nothing_on_a_first_visit(first: Page, size: str) -> None:
    sized(first, size)
    expect(lit(first, "source")).to_be_in_viewport()
    assert violations(first) == []
    assert first.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_first_tab_of_who_comes_offers_to_skip_to_the_panes(first: Page) -> None:
    first.keyboard.press("Tab")
    assert focused(first) == "Skip to the panes"
    first.keyboard.press("Enter")
    first.keyboard.press("Tab")
    assert first.evaluate("document.activeElement.closest('#panes') !== null")


def test_a_note_that_was_dismissed_by_the_keyboard_does_not_come_again(first: Page) -> None:
    first.get_by_role("button", name="Dismiss: What runs").focus()
    first.keyboard.press("Enter")
    expect(notes(first)).to_have_count(2)
    first.reload()
    expect_state(first, "stored")
    expect(notes(first)).to_have_count(2)


def test_a_program_that_is_pasted_takes_the_examples_place(first: Page) -> None:
    first.locator(".brand").click(trial=True)
    first.evaluate(PASTE, GELU)
    expect(source(first)).to_contain_text("bias_gelu")
    expect(source(first)).not_to_contain_text("rsqrt")
    expect(notes(first)).to_have_count(0)
    expect(first.get_by_test_id("state")).to_have_count(0)
    expect(first.locator(".more-options > summary")).not_to_contain_text("TorchInductor")
    for name in ("ir", "triton", "timings"):
        run_it = pane(first, name).get_by_role("button", name="Run what is in the editor")
        expect(run_it).to_be_visible()
    first.reload()
    expect(source(first)).to_contain_text("bias_gelu")


def test_a_word_that_is_pasted_into_the_example_stays_a_word(first: Page) -> None:
    source(first).click()
    first.evaluate(PASTE, "relu")
    expect(source(first)).to_contain_text("relu")
    expect(source(first)).to_contain_text("rsqrt")
    expect(first.get_by_text("edited since")).to_be_visible()
    expect(notes(first)).to_have_count(0)


def options(page: Page):
    return page.locator(".more-options > summary")


def test_what_replaces_the_example_has_the_defaults_but_for_what_was_set(first: Page) -> None:
    first.get_by_role("checkbox", name="Measure").uncheck()
    source(first).click()
    first.evaluate(PASTE, "relu")
    expect(first.get_by_text("edited since")).to_be_visible()
    expect(options(first)).to_contain_text("Inductor")
    write(first, "A = 1\n")
    expect(options(first)).not_to_contain_text("Inductor")
    expect(options(first)).not_to_contain_text("timeline")
    expect(first.get_by_role("checkbox", name="Measure")).not_to_be_checked()
    expect(first.get_by_text("runs with the default options")).to_be_visible()


def test_what_is_written_over_the_example_is_this_tabs_own(first: Page) -> None:
    write(first, "first = 1\n")
    first.wait_for_timeout(PAUSE_MS)
    other = first.context.new_page()
    other.goto("/")
    expect(source(other)).to_contain_text("first = 1")
    write(other, "second = 2\n")
    other.close(run_before_unload=True)
    first.reload()
    expect(source(first)).to_contain_text("first = 1")
    link = first.request.get("/api/v1/examples/first").json()["run"]["url"]
    first.goto(link)
    expect_state(first, "done")
    write(first, "beside = 3\n")
    first.go_back()
    expect(source(first)).to_contain_text("first = 1")


def test_run_runs_the_example_here(first: Page) -> None:
    for option in ("Inductor", "XLA", "Timeline", "Measure"):
        if option != "Measure" and not first.get_by_label(option).first.is_visible():
            first.locator(".more-options > summary").click()
        first.get_by_label(option).first.set_checked(False)
    first.get_by_role("button", name="Run", exact=True).click()
    expect_state(first, "done")
    assert "/r/" in first.url
    expect(notes(first)).to_have_count(0)
    first.go_back()
    expect_state(first, "stored")
    expect(lit(first, "source")).to_contain_text([CHOSEN])


def test_the_example_has_a_link_of_its_own_and_can_be_held_against(first: Page) -> None:
    first.get_by_role("button", name="Pin").click()
    pinned = first.evaluate("Object.values(localStorage).join(' ')")
    given = first.request.get("/api/v1/examples/first").json()["run"]
    assert given["id"] in pinned
    first.goto(given["url"])
    expect_state(first, "done")
    show(first, "Triton")
    expect(pane(first, "triton")).to_contain_text("@triton.jit")
