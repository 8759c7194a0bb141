"""What is handed out in a workshop, to whoever has work of their own."""

import re

from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.axe import violations
from tests.browser.sockets import Sockets
from tests.browser.steps import PHONE, room, source, write

DESK: ViewportSize = {"width": 1440, "height": 900}


def hand_out(page: Page, text: str) -> None:
    write(page, text)
    room(page).get_by_role("button", name="Hand out").click()
    expect(page.get_by_text("Handed out to all seats.")).to_be_visible()
    # Once more is nothing new to anybody.
    room(page).get_by_role("button", name="Hand out").click()
    expect(page.get_by_text("All seats have this very text already.")).to_be_visible()


def take(page: Page, text: str) -> None:
    opens = room(page).get_by_role("button", name="Open it")
    # Where a phone's row is scrolled, what waits for an answer comes first.
    expect(opens).to_be_in_viewport(ratio=1)
    opens.click()
    expect(source(page)).to_contain_text(text)


RENAMES = """title => fetch(`/api/v1/workshops/${location.pathname.split("/")[2]}`, {
    method: "PATCH",
    headers: {"Content-Type": "application/json"},
    body: JSON.stringify({title}),
})"""


def test_nobodys_own_work_is_overwritten(lena: Page, sam: Page) -> None:
    lines = Sockets(sam, "**/ws/**")
    write(sam, "mine = 1")
    hand_out(lena, "first = 1")
    take(sam, "first = 1")
    # What was handed out and is as it was is nobody's work; what was changed is.
    hand_out(lena, "second = 2")
    take(sam, "second = 2")
    write(sam, "second = 2  # changed")
    hand_out(lena, "third = 3")
    take(sam, "third = 3")
    write(sam, "third = 3  # changed")
    # All that there is to do now has two rows of a phone.
    bar = sam.locator(".workshop-room").bounding_box()
    assert bar and bar["height"] < 80
    # And one of a desk, whatever the room is called.
    title = "Why is my compiled model not faster, and what is to be done about it?"
    lena.evaluate(RENAMES, title)
    expect(room(sam).locator("strong").first).to_have_text(title)
    sam.set_viewport_size(DESK)
    bar = sam.locator(".workshop-room").bounding_box()
    assert bar and bar["height"] < 40
    sam.set_viewport_size(PHONE)
    # A reload forgets none of them, and another tab is the same seat.
    sam.reload()
    back = room(sam).get_by_role("button", name="Put my text back")
    other = sam.context.new_page()
    other.goto(lena.evaluate("location.pathname"))
    expect(room(other).get_by_role("button", name="Put my text back")).to_be_visible()
    expect(room(other).get_by_role("button", name="Open it")).to_have_count(0)
    other.close()
    # That the connection is lost is said in the row as it is, of a desk as of a phone.
    hand_out(lena, "fourth = 4")
    expect(room(sam).get_by_role("button", name="Open it")).to_be_visible()
    with lines.cut():
        expect(room(sam).get_by_text("Connection lost; trying again.")).to_be_visible()
        for size, most in ((DESK, 40), (PHONE, 80)):
            sam.set_viewport_size(size)
            bar = sam.locator(".workshop-room").bounding_box()
            assert bar and bar["height"] < most
    expect(room(sam).locator("strong").first).to_be_visible()
    for text in ("second = 2  # changed", "mine = 1"):
        back.click()
        expect(source(sam)).to_have_text(text)
    expect(back).to_have_count(0)
    # What stood there is in this browser's history.
    sam.get_by_role("button", name="Your runs, history, editor").click()
    sam.get_by_role("tab", name="History").click()
    expect(sam.get_by_role("dialog")).to_contain_text("third = 3  # changed")


def test_who_comes_late_opens_any_of_what_was_handed_out(lena: Page, sam: Page) -> None:
    for text in ("first = 1", "second = 2"):
        hand_out(lena, text)
    menu = room(sam).get_by_role("button", name="Handed out: 2")
    menu.click()
    items = sam.get_by_role("menu", name="What was handed out").get_by_role("menuitem")
    expect(items).to_have_text([re.compile("2. second = 2"), re.compile("1. first = 1")])
    assert violations(sam) == []
    # All of it is in sight on a phone.
    box = sam.get_by_role("menu").bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]
    items.last.click()
    expect(source(sam)).to_have_text("first = 1")
    # The last is still offered, and the leader has them all as well.
    take(sam, "second = 2")
    room(lena).get_by_role("button", name="Handed out: 2").press("Enter")
    expect(lena.get_by_role("menuitem").first).to_be_focused()
    lena.keyboard.press("ArrowDown")
    lena.keyboard.press("Enter")
    expect(source(lena)).to_have_text("first = 1")


def test_who_follows_gets_back_what_they_had_written(
    lena: Page,
    sam: Page,
    compiled: str,
) -> None:
    write(sam, "mine = 1")
    room(sam).get_by_role("button", name="Follow Lena").click()
    lena.goto(compiled)
    expect(sam).to_have_url(re.compile(compiled))
    expect(source(sam)).to_contain_text("bias_gelu")
    room(sam).get_by_role("button", name="Following Lena").click()
    room(sam).get_by_role("button", name="Put my text back").click()
    expect(source(sam)).to_have_text("mine = 1")
