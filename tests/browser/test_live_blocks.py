"""The live blocks of a deck: a run's pane, a plot, an exercise and a snippet, each in its page."""

import re
from collections.abc import Callable, Mapping

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from compiler_core import report
from compiler_core.report import Buffer
from tests.browser.axe import SIZES, sized, violations
from tests.browser.deck.pages import deck, heading
from tests.browser.others import LANES, opened_up
from tests.browser.steps import RUN_MS, leave, pane, room, source
from tests.sweep_plugin import thinned
from tests.webapp.workshops.courses.samples import files, zipped

GONE = "abcdefghijkmnpqrstuvwxyz"
SNIPPET = "# inputs: f32[8,64]\nimport torch\n\ndef f(x):\n    return torch.exp(x) + 1\n"


def page_of(title: str, *blocks: str) -> str:
    return f"# {title}\n\n" + "".join(f"```{info.strip()}\n```\n\n" for info in blocks)


def opened(page: Page, stored: str) -> None:
    """A room of a course with a page for each kind of block."""
    pages: dict[str, str | None] = {
        "01-stored.md": page_of(
            "Stored", f"fuselab run={stored} pane=triton", f"fuselab run={stored} plot=timings"
        ),
        "02-plots.md": page_of(
            "Plots",
            *(f"fuselab run={stored} plot={name}" for name in ("roofline", "errors", "compile")),
            f"fuselab run={stored} pane=fusion",
        ),
        "03-example.md": page_of("Example", "fuselab run=softmax-rows pane=kernels"),
        "04-yours.md": page_of("Yours", f"python edit pane=c\n{SNIPPET}"),
        "05-task.md": page_of("Task", "fuselab exercise=one-kernel"),
        "06-gone.md": page_of("Gone", f"fuselab run=/r/{GONE} pane=ir"),
    }
    with_pages(page, pages)
    expect(heading(page, "Stored")).to_be_visible()


def with_pages(page: Page, pages: Mapping[str, str | None]) -> None:
    """A room of a course with these pages."""
    course = zipped(files(**{"01-welcome.md": None, "02-softmax.md": None}, **pages))
    page.goto("/w/")
    page.get_by_label("Course").first.select_option(label="one of my own, as a zip")
    zipped_file = {"name": "course.zip", "mimeType": "application/zip", "buffer": course}
    page.get_by_label("The course's zip").set_input_files(zipped_file)
    page.get_by_label("Your name").fill("Lena")
    page.get_by_role("button", name="Open a workshop").click()
    expect(deck(page)).to_be_visible()
    # Nobody gave the room a title: it has its course's.
    expect(room(page).get_by_text("Fusion", exact=True)).to_be_visible()


def live(page: Page, title: str) -> Locator:
    return deck(page).get_by_role("group", name=title, exact=True)


def turn(page: Page, title: str) -> None:
    # For all, which the server says: until then it is the leader's own page alone.
    with page.expect_response(lambda answer: answer.url.endswith("/deck")) as turned:
        deck(page).get_by_role("button", name="Next page").click()
    assert turned.value.ok
    expect(heading(page, title)).to_be_visible()


@pytest.mark.parametrize("size", thinned(["desk", "phone"], kept=("desk",)))
def test_blocks_are_drawn_in_their_page(page: Page, measured: str, size: str) -> None:
    sized(page, size)
    opened(page, measured)
    # A stored run: the pane that was named, with its text, and a plot of the same run.
    text, plot = live(page, "A stored run: Triton"), live(page, "A stored run: timings")
    expect(text.locator(".cm-content")).to_contain_text("tl.load")
    expect(plot.get_by_role("img", name=re.compile("eager"))).to_be_visible()
    assert violations(page) == []
    # Keys that a text has a use for turn no page.
    text.locator(".cm-content").focus()
    page.keyboard.press("ArrowRight")
    expect(heading(page, "Stored")).to_be_visible()
    # What is chosen in a block is its own.
    text.locator(".cm-line", has_text="tl.erf").first.click()
    expect(text.locator(".cm-line.cm-lit").first).to_be_visible()
    assert "/w/" in page.evaluate("location.pathname")
    turn(page, "Plots")
    drawn = ("roofline", "errors", "compile", "Fusion")
    roofline, errors, compiling, fusion = (live(page, f"A stored run: {each}") for each in drawn)
    expect(roofline.get_by_role("heading", name="Roofline")).to_be_visible()
    errors.scroll_into_view_if_needed()
    expect(errors.locator(".plot > svg, .empty")).to_be_visible()
    compiling.scroll_into_view_if_needed()
    expect(compiling.get_by_role("heading", name="Compile time")).to_be_visible()
    fusion.scroll_into_view_if_needed()
    expect(fusion.locator("svg.fusion-drawing")).to_be_visible()
    assert violations(page) == []
    # An example: to be run, and drawn where it was.
    turn(page, "Example")
    example = live(page, "Softmax over rows: Kernels")
    example.get_by_role("button", name="Run: Softmax over rows").click()
    expect(example.locator("table").first).to_contain_text("exponential", timeout=RUN_MS)
    assert violations(page) == []
    # Turned away from and back, and loaded again, it is there.
    page.reload()
    expect(heading(page, "Example")).to_be_visible()
    expect(example.locator("table").first).to_contain_text("exponential")
    example.get_by_role("button", name="Open in the panes: Softmax over rows").click()
    page.wait_for_url("**/r/*")
    expect(pane(page, "kernels").locator("table").first).to_be_visible()


PLAN = [Buffer("b1", "f32[1024]", 4096, 0, 0, 1, [0]), Buffer("b2", "f32[8]", 32, 4096, 1, 3, [1])]
NOTHING = [Buffer("x", "f32[8]", 32, None, 0, 1, [0])]


# The figures below a lane of which a part is seen.
_CUT = """lanes => lanes.flatMap(lane => {
    const {bottom, right} = lane.getBoundingClientRect()
    const places = [...lane.children].map(each => [each, each.getBoundingClientRect()])
    return places.filter(([_, at]) => at.top < bottom && (at.right > right || at.bottom > bottom))
        .map(([each]) => each.textContent)
})"""


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_memory_and_timeline_are_plots_of_a_page_too(
    page: Page, store: Callable[..., str], size: str
) -> None:
    sized(page, size)
    full, bare = (
        store(report.encode_report(opened_up(timelines=LANES, buffers=buffers)))
        for buffers in (PLAN, NOTHING)
    )
    blocks = [f"fuselab run={full} plot={name}" for name in ("memory", "timeline")]
    with_pages(page, {"01-when.md": page_of("When", *blocks, f"fuselab run={bare} plot=memory")})
    memory = live(page, "A stored run: memory")
    expect(memory.first.get_by_role("img", name=re.compile("4.03 KiB"))).to_be_visible()
    timeline = live(page, "A stored run: timeline")
    timeline.scroll_into_view_if_needed()
    expect(timeline.get_by_role("option")).to_have_count(3)
    assert timeline.locator(".chips").evaluate_all(_CUT) == []
    # What is kept nowhere is said to be, and not that the run has no plan.
    memory.last.scroll_into_view_if_needed()
    expect(memory.last).to_contain_text("Inputs and results only")
    assert page.evaluate("document.documentElement.scrollWidth") == SIZES[size][0]


def test_two_snippets_of_a_page_are_two(page: Page) -> None:
    again = f"python edit pane=c\n{SNIPPET}"
    with_pages(page, {"01-two.md": page_of("Two", again, again)})
    first, second = live(page, "A snippet"), live(page, "Snippet 2")
    written = second.get_by_role("textbox", name="Snippet 2")
    written.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text("1 +\n")
    second.get_by_role("button", name="Run it here").click()
    expect(second.get_by_role("alert")).to_contain_text("not valid Python", timeout=RUN_MS)
    # Of a seat's runs that wait the newest stays: one after the other.
    first.get_by_role("button", name="Run it here").click()
    expect(first.get_by_label("Verdict")).to_be_visible(timeout=RUN_MS)
    expect(first.get_by_role("textbox", name="A snippet")).to_contain_text("torch.exp")
    expect(written).to_have_text("1 +")
    assert violations(page) == []


def test_a_run_that_is_gone_is_said_to_be(
    chromium: Browser, live_stack: str, measured: str
) -> None:
    page = chromium.new_page(base_url=live_stack)
    opened(page, measured)
    for title in ("Plots", "Example", "Yours", "Task", "Gone"):
        turn(page, title)
    gone = live(page, "A stored run: IR")
    expect(gone.get_by_role("alert")).to_contain_text("There is no run")
    gone.get_by_role("button", name="Look again").click()
    expect(gone.get_by_role("alert")).to_contain_text("There is no run")
    assert violations(page) == []
    page.close()


def test_a_snippet_is_changed_and_run_in_its_page(page: Page, measured: str) -> None:
    opened(page, measured)
    for title in ("Plots", "Example", "Yours"):
        turn(page, title)
    block = live(page, "A snippet")
    editor = block.get_by_role("textbox", name="A snippet")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(SNIPPET.replace("exp", "sin"))
    # What the page's own editor holds is another text.
    expect(source(page)).not_to_contain_text("torch.sin")
    page.keyboard.press("ControlOrMeta+Enter")
    expect(block.get_by_label("Verdict")).to_be_visible(timeout=RUN_MS)
    expect(block.locator(".deck-drawn")).to_contain_text("sin", timeout=RUN_MS)
    expect(editor).to_be_focused()
    assert "/w/" in page.evaluate("location.pathname")
    assert violations(page) == []
    page.reload()
    expect(editor).to_contain_text("torch.sin")
    expect(block.locator(".deck-drawn")).to_contain_text("sin")
    block.get_by_role("button", name="As it was").click()
    expect(editor).to_contain_text("torch.exp")
    # An error is told where it was written.
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text("1 +\n")
    block.get_by_role("button", name="Run it here").click()
    expect(block.get_by_role("alert")).to_contain_text("not valid Python", timeout=RUN_MS)
    # The exercise, with what it wants; its answer goes into the editor beside it.
    turn(page, "Task")
    task = deck(page).get_by_role("article", name="One")
    expect(task).to_contain_text("at most 1 kernel")
    task.get_by_role("button", name="Start: One").click()
    expect(source(page)).to_contain_text("return x + 1")
    task.get_by_role("button", name="Check").click()
    expect(task.get_by_role("status")).to_have_text("Passed, 1 attempt", timeout=RUN_MS)
    assert violations(page) == []
    # Who leaves leaves no text of theirs behind.
    assert page.evaluate("sessionStorage.getItem('fuselab.deck')")
    leave(page)
    expect(room(page)).to_have_count(0)
    assert page.evaluate("sessionStorage.getItem('fuselab.deck')") is None
