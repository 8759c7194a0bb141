"""The text that a workshop writes together, beside one's own."""

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.axe import violations
from tests.browser.sockets import Sockets
from tests.browser.steps import (
    GELU,
    PHONE,
    RUN_MS,
    expect_state,
    lit,
    measure,
    pane,
    room,
    shared,
    source,
    write,
    write_at_end,
)


@pytest.fixture
def line(sam: Page) -> Sockets:
    """That of Sam's shared text, to be cut; Sam has written something of his own."""
    found = Sockets(sam, "**/text/")
    write(sam, "mine = 1")
    sam.reload()
    return found


@pytest.fixture
def begun(lena: Page, sam: Page, line: Sockets) -> tuple[Page, Page]:
    """Lena and Sam look at the shared text, which Lena has begun to write."""
    for page in (lena, sam):
        page.get_by_role("tab", name="Shared", exact=True).click()
    write(lena, GELU)
    expect(shared(sam)).to_contain_text("bias_gelu")
    return lena, sam


@pytest.fixture
def together(begun: tuple[Page, Page]) -> tuple[Page, Page]:
    """The same with the pen given to Sam, who writes at the top."""
    lena, sam = begun
    room(lena).get_by_role("button", name=re.compile("here")).click()
    room(lena).get_by_role("button", name="Give pen to Sam").click()
    expect(sam.get_by_text("Lena and Sam have the pen.")).to_be_visible()
    to_the_top(sam)
    return begun


def to_the_top(page: Page) -> None:
    shared(page).click()
    page.keyboard.press("ControlOrMeta+Home")


def expect_cut(page: Page) -> None:
    expect(page.get_by_text("Not connected: what you write is merged")).to_be_visible()


def test_who_has_no_pen_reads_and_sees_who_writes(begun: tuple[Page, Page]) -> None:
    lena, sam = begun
    expect(sam.locator(".cm-their-name")).to_have_text("Lena")
    expect(shared(sam)).to_have_attribute("aria-readonly", "true")
    shared(sam).click()
    sam.keyboard.type("not this")
    write_at_end(lena, "# by Lena\n")
    for page in begun:
        expect(shared(page)).to_contain_text("# by Lena")
        expect(shared(page)).not_to_contain_text("not this")


def test_who_is_given_the_pen_writes_too(together: tuple[Page, Page]) -> None:
    lena, sam = together
    sam.keyboard.type("# by Sam\n")
    expect(shared(lena)).to_contain_text("# by Sam")
    expect(lena.locator(".cm-their-name")).to_have_text("Sam")
    assert violations(lena) == violations(sam) == []


def test_two_who_write_at_the_same_time_lose_no_letter(together: tuple[Page, Page]) -> None:
    lena, sam = together
    write_at_end(lena, "\n")
    for hers, his in zip("# at the end", "# at the top", strict=True):
        lena.keyboard.type(hers)
        sam.keyboard.type(his)
    for page in together:
        expect(shared(page)).to_contain_text("# at the end")
        expect(shared(page)).to_contain_text("# at the top")


def test_what_both_write_while_a_line_is_cut_is_merged(
    together: tuple[Page, Page], line: Sockets
) -> None:
    lena, sam = together
    with line.cut():
        expect_cut(sam)
        sam.keyboard.type("# cut off\n")
        write_at_end(lena, "# meanwhile\n")
    for page in together:
        expect(shared(page)).to_have_text(re.compile("# cut off.*# meanwhile"))


def test_what_was_written_and_deleted_in_a_tab_that_was_closed_cut_off_is_merged(
    together: tuple[Page, Page], line: Sockets
) -> None:
    lena, sam = together
    with line.cut():
        expect_cut(sam)
        sam.keyboard.type("# closed\n")
        for _ in "import torch":
            sam.keyboard.press("Delete")
        sam.close()
    again = sam.context.new_page()
    again.goto(lena.evaluate("location.pathname"))
    again.get_by_role("tab", name="Shared", exact=True).click()
    for page in (lena, again):
        expect(shared(page)).to_contain_text("# closed")
        expect(shared(page)).not_to_contain_text("import torch")
    unsent = "Object.keys(localStorage).filter((key) => key.startsWith('fuselab.shared.'))"
    expect(again.get_by_text("Lena and Sam have the pen.")).to_be_visible()
    assert again.evaluate(unsent) == []


def test_what_was_written_cut_off_by_who_lost_the_pen_meanwhile_is_copied_into_their_own(
    together: tuple[Page, Page], line: Sockets
) -> None:
    lena, sam = together
    with line.cut():
        expect_cut(sam)
        sam.keyboard.type("# too late\n")
        room(lena).get_by_role("button", name="Take pen from Sam").click()
    alert = sam.get_by_role("alert").filter(has_text="You do not have the pen")
    expect(alert).to_be_visible()
    expect(shared(sam)).to_contain_text("bias_gelu")
    expect(shared(sam)).not_to_contain_text("# too late")
    alert.get_by_role("button", name="Copy what I wrote into mine").click()
    expect(source(sam)).to_contain_text("# too late")
    room(sam).get_by_role("button", name="Put my text back").click()
    expect(source(sam)).to_have_text("mine = 1")


def test_a_name_hides_the_text_for_a_moment_and_stays_within_it(lena: Page, sam: Page) -> None:
    long = "W" * 40
    for page in (lena, sam):
        page.get_by_role("tab", name="Shared", exact=True).click()
    write(lena, GELU)
    room(lena).get_by_role("button", name="More", exact=True).click()
    lena.get_by_role("menuitem", name="Change my name").click()
    lena.get_by_label("Your name").fill(long)
    lena.get_by_role("button", name="Change", exact=True).click()
    held = sam.get_by_text(f"{long} has the pen.")
    expect(held).to_be_visible()
    assert held.evaluate("line => line.scrollWidth <= line.clientWidth")
    follow = room(sam).get_by_role("button", name=f"Follow {long}").bounding_box()
    assert follow and follow["width"] < 250
    assert sam.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    name = sam.locator(".cm-their-name")
    expect(name).to_have_text(long)
    box = name.bounding_box()
    assert box and box["width"] <= 160
    expect(name).to_be_hidden()
    # At the other end of a line it lies on the other side of its cursor.
    write(lena, "# " + "x" * 36)
    expect(name).to_be_visible()
    sam.wait_for_function(
        """name => {
            const seen = name.closest(".cm-scroller").getBoundingClientRect()
            const { left, right } = name.getBoundingClientRect()
            return seen.left <= left && right <= seen.right
        }""",
        arg=name.element_handle(),
    )
    # Whoever points at a cursor is told again whose it is.
    expect(name).to_be_hidden()
    at = sam.locator(".cm-their-cursor").bounding_box()
    assert at
    sam.mouse.move(at["x"] + 1, at["y"] + at["height"] / 2)
    expect(name).to_be_visible()
    sam.mouse.move(0, 0)
    expect(name).to_be_hidden()
    # What another writes before a cursor moves it, and says no name; what its person writes does.
    room(lena).get_by_role("button", name=re.compile("here")).click()
    room(lena).get_by_role("button", name="Give pen to Sam").click()
    expect(shared(sam)).not_to_have_attribute("aria-readonly", "true")
    shared(sam).press("ControlOrMeta+Home")
    sam.keyboard.insert_text("# by Sam\n")
    expect(shared(lena)).to_contain_text("# by Sam")
    assert name.is_hidden()
    write_at_end(lena, "#")
    expect(name).to_be_visible()


def test_the_shared_text_is_run_as_ones_own_and_leaves_that_as_it_is(lena: Page) -> None:
    code = lena.evaluate("location.pathname").removeprefix("/w/")
    write(lena, "mine = 1")
    lena.get_by_role("tab", name="Shared", exact=True).click()
    measure(lena, on=False)
    write_at_end(lena, GELU)
    with lena.expect_request("**/api/v1/runs") as asked:
        lena.get_by_role("button", name="Run", exact=True).click()
    # All tabs of a seat are one editor: of its runs that wait the newest stays.
    seat = lena.evaluate("code => fetch(`/api/v1/workshops/${code}`).then(r => r.json())", code)
    assert asked.value.post_data_json["editor"] == f"{code}-{seat['you']}"
    expect_state(lena, "done")
    # Its lines light up as those of one's own do.
    lena.get_by_text("y = x + b").first.click()
    expect(lit(lena, "source")).to_have_text(["    y = x + b"])
    # One's own text is not what was run; that is no edit of this one.
    write_at_end(lena, "\n")
    expect(lena.get_by_role("button", name="Undo edits")).to_have_count(0)
    # What is pressed is what the press began on: the bar of the verdict, which the next run has not
    # yet, goes meanwhile. Before that the server's answer was waited for, which was said.
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    lena.route("**/api/v1/runs", hold, times=1)
    with lena.expect_request("**/api/v1/runs"):
        lena.keyboard.press("ControlOrMeta+Enter")
    expect(lena.get_by_text("Waiting for the server")).to_be_visible()
    both = lena.get_by_role("button", name="Both", exact=True)
    both.hover()
    lena.mouse.down()
    held[0].continue_()
    lena.wait_for_function("() => document.querySelector('.program-bar') === null")
    lena.mouse.up()
    expect(both).to_have_attribute("aria-pressed", "true")
    both.click()
    lena.get_by_role("tab", name="Mine", exact=True).click()
    expect(source(lena)).to_have_text("mine = 1")
    lena.reload()
    expect(source(lena)).to_have_text("mine = 1")
    lena.get_by_role("tab", name="Shared", exact=True).click()
    expect(shared(lena)).to_contain_text("bias_gelu")


def test_both_texts_are_seen_at_once_and_run_runs_that_in_which_one_writes(lena: Page) -> None:
    write(lena, "mine = 1")
    alone = pane(lena, "source").evaluate(WIDTH)
    lena.get_by_role("button", name="Both", exact=True).click()
    expect_beside(source(lena), shared(lena))
    shared(lena).click()
    expect(lena.get_by_role("tab", name="Shared", exact=True)).to_have_attribute(
        "aria-selected", "true"
    )
    write_at_end(lena, "ours = 2")
    expect(source(lena)).to_have_text("mine = 1")
    assert violations(lena) == []
    source(lena).click()
    with lena.expect_request("**/api/v1/runs") as asked:
        lena.keyboard.press("ControlOrMeta+Enter")
    assert asked.value.post_data_json["source"] == "mine = 1"
    # What is wrong is marked in the text that was run, whichever one writes in.
    source(lena).click()
    lena.keyboard.press("ControlOrMeta+a")
    lena.keyboard.insert_text("mine = missing")
    lena.keyboard.press("ControlOrMeta+Enter")
    wrong = ".cm-lintRange-error"
    expect(lena.get_by_role("tabpanel", name="Mine").locator(wrong)).to_have_text(
        re.compile("missing"), timeout=RUN_MS
    )
    shared(lena).click()
    expect(lena.get_by_role("tab", name="Shared", exact=True)).to_have_attribute(
        "aria-selected", "true"
    )
    expect(lena.get_by_role("tabpanel", name="Shared").locator(wrong)).to_have_count(0)
    expect(lena.get_by_role("tabpanel", name="Mine").locator(wrong)).to_have_count(1)
    source(lena).click()
    # Beside each other, on a wide screen and with as little room as a deck leaves them; the pane
    # has as much more as they need, and gives it back.
    for width in (1440, 1024):
        lena.set_viewport_size({"width": width, "height": 900})
        expect_beside(source(lena), shared(lena))
    lena.set_viewport_size({"width": 1440, "height": 900})
    lena.get_by_role("button", name="Both", exact=True).click()
    expect(shared(lena)).to_be_hidden()
    expect(source(lena)).to_be_visible()
    expect_width(pane(lena, "source"), alone)
    # So does a page that was loaded meanwhile.
    lena.get_by_role("button", name="Both", exact=True).click()
    expect_beside(source(lena), shared(lena))
    lena.reload()
    expect_beside(source(lena), shared(lena))
    lena.get_by_role("button", name="Both", exact=True).click()
    expect(shared(lena)).to_be_hidden()
    expect_width(pane(lena, "source"), alone)
    # Another page of the browser, which has no room, takes nothing from it.
    lena.get_by_role("button", name="Both", exact=True).click()
    expect_beside(source(lena), shared(lena))
    other = lena.context.new_page()
    other.goto("/")
    expect(source(other)).to_be_visible()
    other.close()
    lena.get_by_role("button", name="Both", exact=True).click()
    expect(shared(lena)).to_be_hidden()
    expect_width(pane(lena, "source"), alone)


WIDTH = "(element) => element.getBoundingClientRect().width"


def expect_width(element: Locator, width: float) -> None:
    """That it is as wide, but for whole pixels, when the page has drawn what was clicked: a text is
    hidden in one frame, and the border moves in the next."""
    element.page.wait_for_function(
        f"([element, width]) => Math.abs(({WIDTH})(element) - width) <= 2",
        arg=[element.element_handle(), width],
    )


def expect_beside(left: Locator, right: Locator) -> None:
    """That they are drawn so: a moved border is drawn with the next frame."""
    right.page.wait_for_function(
        """([left, right]) => {
            const [a, b] = [left.getBoundingClientRect(), right.getBoundingClientRect()]
            return a.right <= b.left && a.top === b.top && a.width > 150
        }""",
        arg=[left.element_handle(), right.element_handle()],
    )


def test_what_is_said_of_a_cut_line_has_a_line_of_its_own(lena: Page) -> None:
    text = Sockets(lena, "**/text/")
    lena.reload()
    lena.get_by_role("tab", name="Shared", exact=True).click()
    lena.set_viewport_size({"width": 1000, "height": 900})
    with text.cut():
        told = lena.get_by_text("Not connected: what you write is merged")
        expect(told).to_be_visible()
        tabs = lena.get_by_role("tablist").filter(has_text="Shared").bounding_box()
        place = told.bounding_box()
        assert tabs and place and place["y"] >= tabs["y"] + tabs["height"]
    lena.set_viewport_size({"width": 1440, "height": 900})
