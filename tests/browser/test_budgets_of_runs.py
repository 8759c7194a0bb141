"""How long the page is busy at a time while a large run goes on, what moves meanwhile, what it
takes to show a stored one, and what is kept of those before. What is recorded in docs/measuring.md
are the times; here they are compared with a piece of work that the same page does."""

import re
from collections.abc import Callable

import msgspec
import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from bench import heap
from compiler_core import report
from tests.browser import work
from tests.browser.others import opened_up, other
from tests.browser.steps import expect_state, go, write
from tests.browser.test_texts import content, large
from tests.sweep_plugin import thinned

MOST_UNTIL_SHOWN = 1000 / work.KNOWN_MS
MOST_BUSY = 50 / work.KNOWN_MS
# Of the 250 passes that a twelve-block GPT's report has with every compiler, half of the core's.
PASSES = 6
MOST_GROWTH = 1.2


@pytest.fixture
def page(measured_page: Page) -> Page:
    return measured_page


def streamed() -> list[str]:
    """The events of a large program, whose texts come with them: more at a time than the worker
    sends, which sends such texts apart."""
    whole = large()
    (program,) = whole.programs
    found = report.ProgramFound(0, program.name, "torch", program.entry, [])
    stages = [report.StageDone(0, stage) for stage in program.stages[:PASSES]]
    facts = report.Facts(0, nodes=program.nodes, graphs=program.graphs)
    started = report.Started(whole.snippet, {}, whole.device, whole.options)
    events = [started, found, facts, *stages]
    return [msgspec.json.encode(event).decode() for event in events]


def test_typing_is_not_held_up_while_a_large_run_streams(
    page: Page, store: Callable[..., str]
) -> None:
    lines: list[WebSocketRoute] = []
    page.route_web_socket("**/ws/runs/**", lambda line: lines.append(line))  # noqa: PLW0108  Playwright marks it
    events = streamed()
    page.goto(store(events[0].encode(), "events"))
    write(page, "x = 1\n")
    known = work.known_ms(page)

    def type_meanwhile() -> None:
        lines[-1].send('{"state":"running","seq":0,"seconds":1}')
        for number, event in enumerate(events, 1):
            lines[-1].send(f'{{"seq":{number},"event":{event}}}')
            page.keyboard.type("y")
        expect(content(page, "ir")).to_have_attribute(
            "aria-label", re.compile(f"^IR at pass {PASSES - 1}")
        )

    assert work.longest_ms(page, type_meanwhile) <= MOST_BUSY * known


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
        return {**cdp.send("Memory.getDOMCounters"), "bytes": heap.stored_bytes(cdp)}

    after_five, after_many = kept_after(5), kept_after(runs - 5)
    for kind, kept in after_five.items():
        assert after_many[kind] <= MOST_GROWTH * kept, kind
