"""What a test finds in a tab that another has had."""

from tests.browser.steps import PLAIN
from tests.browser.tabs import Tabs

KEPT = "[sessionStorage.getItem('left'), localStorage.getItem('left')]"
SHOWN = "[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]"


def test_nothing_that_the_last_one_left(tabs: Tabs) -> None:
    with tabs.turn() as first:
        first.goto(PLAIN)
        first.evaluate("() => { sessionStorage.left = 'a'; localStorage.left = 'b' }")
        first.set_viewport_size({"width": 390, "height": 844})
        first.emulate_media(color_scheme="dark")
        assert first.evaluate(KEPT) == ["a", "b"] and first.evaluate(SHOWN) == [390, True]
    with tabs.turn() as second:
        assert second is first
        second.goto(PLAIN)
        assert second.evaluate(KEPT) == [None, None] and second.evaluate(SHOWN) == [1440, False]


def test_another_tab_after_what_cannot_be_taken_back(tabs: Tabs) -> None:
    with tabs.turn() as first:
        first.on("request", lambda request: None)
    with tabs.turn() as second:
        assert second is not first and first.is_closed()
