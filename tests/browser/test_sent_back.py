"""Somebody's work, changed by the leader of a workshop and sent back with a comment."""

import re

from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.steps import GELU, PHONE, expect_state, measure, room, show, source, write


def test_a_changed_text_is_sent_back_and_opens_beside_ones_own(
    lena: Page, sam: Page, compiled: str
) -> None:
    write(sam, GELU)
    measure(sam, on=False)
    sam.get_by_role("button", name="Run", exact=True).click()
    expect_state(sam, "done")
    show(sam, "Source")
    write(sam, "mine = 1")
    write(lena, "hers = 1")
    # She changes what he ran, in her own editor.
    room(lena).get_by_role("button", name=re.compile("here")).click()
    seat = lena.get_by_label("Seats").get_by_role("listitem").filter(has_text="Sam")
    seat.get_by_role("button", name="Comment on the work of Sam").click()
    seat.get_by_label("Comment for Sam").fill("Without a name for the sum.")
    seat.get_by_role("button", name="Edit their text").click()
    expect(source(lena)).to_contain_text("y = x + b")
    expect(seat.get_by_role("checkbox", name="with what my editor holds")).to_be_checked()
    assert violations(lena) == []
    # The room changes, and she goes on where she writes.
    source(lena).click()
    room(sam).get_by_role("button", name="Follow Lena").click()
    expect(seat).to_contain_text("follows")
    expect(source(lena)).to_be_focused()
    room(sam).get_by_role("button", name="Following Lena").click()
    expect(seat).not_to_contain_text("follows")
    write(lena, GELU.replace("y = x + b\n    return F.gelu(y)", "return F.gelu(x + b)"))
    seat.get_by_role("button", name="Send").click()
    expect(seat.get_by_label("Comment for Sam")).to_have_count(0)
    # Nobody goes anywhere by it, and what she had written is a press away.
    assert "/w/" in lena.evaluate("location.pathname")
    room(lena).get_by_role("button", name="Put my text back").click()
    expect(source(lena)).to_have_text("hers = 1")
    # He opens it as a text of his own; what he had written is kept.
    expect(room(sam)).to_contain_text("Lena: Without a name for the sum.")
    assert violations(sam) == []
    assert sam.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    room(sam).get_by_role("button", name="Open the text that came with it").click()
    expect(source(sam)).to_contain_text("return F.gelu(x + b)")
    room(sam).get_by_role("button", name="Put my text back").click()
    expect(source(sam)).to_have_text("mine = 1")
    room(sam).get_by_role("button", name="Dismiss").click()
    expect(room(sam)).not_to_contain_text("Without a name")
    # The next comment comes alone.
    seat.get_by_role("button", name="Comment on the work of Sam").click()
    seat.get_by_label("Comment for Sam").fill("Well done.")
    seat.get_by_role("button", name="Send").click()
    expect(room(sam)).to_contain_text("Lena: Well done.")
    expect(room(sam).get_by_role("button", name="Open the text")).to_have_count(0)
