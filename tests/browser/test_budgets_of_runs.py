"""What moves on the page while a run goes on, what it takes to show a stored one, and what is kept
of those before. What is recorded in docs/measuring.md are the times; here they are compared
with a piece of work that the same page does."""

from collections.abc import Callable, Iterator

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from compiler_core import report
from tests.browser import work
from tests.browser.others import opened_up, other
from tests.browser.steps import expect_state, go
from tests.browser.test_texts import content
from tests.sweep_plugin import thinned

# The known piece of work takes 10 ms of the machine that the budgets are for.
KNOWN_MS = 10
MOST_UNTIL_SHOWN = 1000 / KNOWN_MS
MOST_GROWTH = 1.2


@pytest.fixture
def page(chromium: Browser, live_stack: str) -> Iterator[Page]:
    """Of a browser that has loaded nothing, and was not asked for less motion."""
    context = chromium.new_context(base_url=live_stack, viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


# What a browser does without painting anew, and what a keyframe has beside.
CHEAP = {"transform", "opacity", "offset", "computedOffset", "easing", "composite"}
MOVING = """() => document.getAnimations()
  .filter(each => each.effect.getComputedTiming().iterations === Infinity)
  .flatMap(each => each.effect.getKeyframes().flatMap(frame => Object.keys(frame)))"""


def test_what_moves_while_a_run_goes_on_is_not_painted_anew(
    page: Page, store: Callable[..., str]
) -> None:
    started = report.Started(
        report.Snippet("", "x = 1\n"), {}, report.Device("cpu"), report.Options()
    )
    page.goto(store(msgspec.json.encode(started), "events"))
    expect_state(page, "running")
    moved = set(page.evaluate(MOVING))
    assert "transform" in moved
    assert moved <= CHEAP


def test_a_stored_result_is_shown_within_its_budget(page: Page, compiled: str) -> None:
    cdp = work.session(page)
    page.goto(compiled)
    expect(content(page, "ir")).to_contain_text("erf")
    assert work.spent_ms(cdp) <= MOST_UNTIL_SHOWN * work.known_ms(page)


@pytest.mark.parametrize("runs", thinned((15, 50), kept=(15,)))
def test_many_runs_leave_no_more_in_memory_than_five(
    page: Page, store: Callable[..., str], runs: int
) -> None:
    shown = opened_up(other("pass"))
    links = [store(report.encode_report(shown)) for _ in range(2)]
    cdp = page.context.new_cdp_session(page)

    def kept_after(more: int) -> dict[str, int]:
        for number in range(more):
            go(page, links[number % 2])
            expect_state(page, "done")
        cdp.send("HeapProfiler.collectGarbage")
        return {**cdp.send("Memory.getDOMCounters"), "bytes": work.kept_bytes(cdp)}

    after_five, after_many = kept_after(5), kept_after(runs - 5)
    for kind, kept in after_five.items():
        assert after_many[kind] <= MOST_GROWTH * kept, kind
