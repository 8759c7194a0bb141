"""A room through a leader's browser and a participant's: its door, its seats, who leads."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser import api
from tests.browser.axe import violations
from tests.browser.steps import (
    GELU,
    room,
    source,
    write,
)


def test_a_workshop_is_opened_joined_followed_and_handed_a_snippet(
    lena: Page, sam: Page, live_stack: str
) -> None:
    link = lena.evaluate("location.pathname")
    expect(room(lena)).to_contain_text("1 of 1 here, 1 leader")
    # Handed out, taken, and one's own text put back.
    write(sam, "mine = 1")
    write(lena, GELU)
    room(lena).get_by_role("button", name="Hand out").click()
    expect(room(sam)).to_contain_text("Lena handed out a snippet.")
    room(sam).get_by_role("button", name="Open it").click()
    expect(source(sam)).to_contain_text("bias_gelu")
    back = room(sam).get_by_role("button", name="Put my text back")
    expect(back).to_be_in_viewport(ratio=1)
    back.click()
    expect(source(sam)).to_contain_text("mine = 1")
    # Followed to a run, and one's own way again.
    room(sam).get_by_role("button", name="Follow Lena").click()
    address = api.ended(live_stack, GELU, measure=False).address
    lena.goto(address)
    expect(sam).to_have_url(re.compile(address), timeout=30_000)
    room(sam).get_by_role("button", name="Following Lena").click()
    # A reload keeps the seat; who is removed is out at once.
    sam.reload()
    expect(room(sam).get_by_role("button", name="Follow Lena")).to_be_visible()
    room(lena).get_by_role("button", name=re.compile("here")).click()
    room(lena).get_by_role("button", name="Remove Sam").click()
    expect(room(sam)).to_have_count(0)
    expect(room(lena)).to_contain_text("nobody here yet, 1 leader")
    # The door tells them why they do not come in, and whom to ask.
    sam.goto(link)
    expect(room(sam)).to_contain_text("you were removed from this workshop. Ask Lena")
    expect(sam.get_by_role("button", name="Join")).to_have_count(0)
    # Let back in, who has loaded the page again has their seat.
    room(lena).get_by_role("button", name="Let back in: Sam").click()
    expect(room(lena)).to_contain_text("of 1 here, 1 leader")
    sam.reload()
    expect(room(sam).get_by_role("button", name="Follow Lena")).to_be_visible()
    # And who leaves, which is asked about.
    room(sam).get_by_role("button", name="Leave", exact=True).click()
    assert violations(sam) == []
    room(sam).get_by_role("button", name="Stay").click()
    expect(room(sam).get_by_role("button", name="Follow Lena")).to_be_visible()


def test_the_wall_has_a_line_for_who_leads_and_a_card_for_each_other(lena: Page, sam: Page) -> None:
    room(lena).get_by_role("button", name=re.compile("here")).click()
    leader, seat = (
        lena.get_by_label("Seats").get_by_role("listitem").filter(has_text=name)
        for name in ("Lena", "Sam")
    )
    line, card = leader.bounding_box(), seat.bounding_box()
    assert line and card and line["height"] < 32 <= card["height"]
    assert line["width"] > 2 * card["width"]
    for width in (1440, 1280, 390):
        lena.set_viewport_size({"width": width, "height": 844})
        acts = [act.bounding_box() for act in seat.get_by_role("button").all()]
        assert len(acts) == 4 and len({act and act["y"] for act in acts}) == 1
    lena.set_viewport_size({"width": 1440, "height": 900})
    # What the leader says of it is read, and dismissed by a word in one line, on a phone too.
    seat.get_by_role("button", name="Comment on the work of Sam").click()
    said = "Where does the maximum go? Try it in one pass over each row."
    lena.keyboard.type(said)
    lena.keyboard.press("Enter")
    expect(room(sam)).to_contain_text(said)
    dismiss = sam.get_by_role("button", name="Dismiss")
    expect(dismiss).to_be_visible()
    box = dismiss.bounding_box()
    assert box and box["width"] > 60


def test_a_workshop_that_has_ended_is_said_once(chromium: Browser, live_stack: str) -> None:
    page = chromium.new_page(base_url=live_stack)
    page.goto("/w/")
    page.evaluate("() => sessionStorage.setItem('fuselab.workshop', 'k7mq-2p9x')")
    page.goto("/")
    expect(room(page)).to_contain_text('There is no workshop "k7mq-2p9x".')
    page.reload()
    expect(room(page)).to_have_count(0)
    page.close()


def test_who_is_told_to_wait_at_the_door_comes_in_by_the_page_itself(sam: Page) -> None:
    refusal = {"message": "Too many requests from this address.", "remedy": "Try again in 2 s."}
    sam.route(
        "**/door",
        lambda route: route.fulfill(
            status=429, json={"error": refusal}, headers={"Retry-After": "2"}
        ),
        times=1,
    )
    sam.reload()
    alert = sam.get_by_role("region", name="Workshop").get_by_role("alert")
    expect(alert).to_contain_text("Try again in 2 s.")
    expect(room(sam).get_by_role("button", name="Follow Lena")).to_be_visible()
    expect(alert).to_be_hidden()
