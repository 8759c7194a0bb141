"""Following the leader of a workshop to the pane and line that she looks at, and the wall."""

import re
from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect

from tests.browser import api
from tests.browser.axe import violations
from tests.browser.steps import GELU, pane, room, source, write


def first_line(page: Page, name: str) -> int:
    """The number of the first line of a text that is in sight."""
    return pane(page, name).evaluate(
        """pane => {
            const top = pane.querySelector('.cm-scroller').getBoundingClientRect().top
            const numbers = [...pane.querySelectorAll('.cm-lineNumbers .cm-gutterElement')]
            const seen = numbers.find(each => each.getBoundingClientRect().bottom > top + 2)
            return Number(seen?.textContent)
        }"""
    )


def test_who_follows_sees_the_pane_and_how_far_it_is_scrolled(
    lena: Page,
    sam: Page,
    compiled: str,
) -> None:
    room(sam).get_by_role("button", name="Follow Lena").click()
    lena.goto(compiled)
    lena.get_by_role("tab", name="PTX").click()
    text = pane(lena, "assembly").locator(".cm-scroller")
    expect(text).to_be_visible()
    expect(pane(sam, "assembly").locator(".cm-scroller")).to_be_visible()
    text.hover()

    def is_scrolled() -> bool:
        lena.mouse.wheel(0, 300)
        return first_line(lena, "assembly") > 10

    until(lena, is_scrolled)
    # On a phone, with lines of another width.
    until(sam, lambda: abs(first_line(sam, "assembly") - first_line(lena, "assembly")) <= 1)
    # A line that is chosen is lit; when none is, none is there either.
    lena.get_by_role("tab", name="Triton").click()
    pane(lena, "triton").locator(".cm-line", has_text="tl.store").click()
    lit = pane(sam, "triton").locator(".cm-line.cm-lit")
    expect(lit.first).to_be_visible()
    lena.keyboard.press("Escape")
    expect(lit).to_have_count(0)
    # One key leaves, from wherever one is, and comes back.
    sam.keyboard.press("F8")
    expect(room(sam).get_by_role("button", name="Follow Lena")).to_be_visible()
    lena.get_by_role("tab", name="Numerics").click()
    sam.keyboard.press("F8")
    expect(pane(sam, "numerics")).to_be_visible()


def test_the_text_in_which_somebody_writes_is_not_taken_from_under_their_hands(
    lena: Page, sam: Page, compiled: str, live_stack: str
) -> None:
    other = api.ended(live_stack, GELU.replace("bias_gelu", "shown_next"), measure=False).address
    room(sam).get_by_role("button", name="Follow Lena").click()
    lena.goto(compiled)
    expect(sam).to_have_url(re.compile(compiled))
    write(sam, "mine = 1")
    lena.goto(other)
    expect(room(sam)).to_contain_text("Lena shows another run.")
    sam.keyboard.type("2")
    expect(source(sam)).to_have_text("mine = 12")
    expect(sam).to_have_url(re.compile(compiled))
    assert violations(sam) == []
    there = room(sam).get_by_role("button", name="Go there")
    expect(there).to_be_in_viewport(ratio=1)
    there.click()
    expect(sam).to_have_url(re.compile(other))
    expect(source(sam)).to_contain_text("shown_next")
    expect(room(sam)).not_to_contain_text("shows another run")
    # Whose hands are elsewhere is taken along, and the text is kept.
    room(sam).get_by_role("button", name="Put my text back").click()
    expect(source(sam)).to_have_text("mine = 12")
    lena.goto(compiled)
    expect(sam).to_have_url(re.compile(compiled))
    room(sam).get_by_role("button", name="Put my text back").click()
    # Who follows anew has asked for it, whatever they write.
    source(sam).click()
    lena.goto(other)
    expect(room(sam)).to_contain_text("Lena shows another run.")
    sam.keyboard.press("F8")
    expect(room(sam).get_by_role("button", name="Follow Lena")).to_be_visible()
    sam.keyboard.press("F8")
    expect(sam).to_have_url(re.compile(other))


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Waits, as `expect` does, for something that is asked of the page."""
    for _ in range(200):
        if holds():
            return
        page.wait_for_timeout(100)
    assert holds()


def test_the_wall_says_who_is_editing_and_who_is_muted(
    lena: Page,
    sam: Page,
) -> None:
    room(lena).get_by_role("button", name="1 of 1 here").click()
    seat = room(lena).get_by_role("listitem").filter(has_text="Sam")
    write(sam, "x = 1")
    expect(seat).to_contain_text("editing")
    seat.get_by_role("button", name="Mute Sam").click()
    expect(seat).to_contain_text("muted")
    room(sam).get_by_role("button", name="1 of 1 here").click()
    expect(room(sam).get_by_role("listitem").filter(has_text="Sam")).to_contain_text("muted")
    assert violations(lena) == violations(sam) == []
    seat.get_by_role("button", name="Unmute Sam").click()
    expect(seat).not_to_contain_text("muted")
    # The room is kept for good where a run is, by keyboard, and by who leads it.
    lena.get_by_role("button", name="Share", exact=True).press("Enter")
    shared = lena.get_by_role("region", name="This workshop")
    expect(shared).to_contain_text("It ends 30 days after it was last used.")
    shared.get_by_role("button", name="Keep it for good").press("Enter")
    expect(shared).to_contain_text("It is kept for good.")
    expect(shared.get_by_role("button", name="Let it end after 30 days")).to_be_visible()
    assert violations(lena) == []
    sam.get_by_role("button", name="Share", exact=True).click()
    theirs = sam.get_by_role("region", name="This workshop")
    expect(theirs).to_contain_text("It is kept for good.")
    expect(theirs.get_by_role("button")).to_have_count(1)


def test_who_joins_needs_no_pointer(lena: Page, chromium: Browser, live_stack: str) -> None:
    page = chromium.new_page(base_url=live_stack)
    page.goto(lena.evaluate("location.pathname"))
    expect(page.get_by_label("Your name")).to_be_focused()
    page.keyboard.type("Ada")
    page.keyboard.press("Enter")
    expect(room(page).get_by_role("button", name="Follow Lena")).to_be_visible()
    page.keyboard.press("F8")
    expect(room(page).get_by_role("button", name="Following Lena")).to_be_visible()
    page.close()
