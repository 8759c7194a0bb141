"""Recorded calls: the one that is shown, what is within what, and the snippet's places."""

import time

import pytest

from compiler_core.measure.instructions import Instructions
from compiler_core.measure.recorded import Call, Span, nested, record
from compiler_core.snippet.source import FILE

pytestmark = pytest.mark.null


def test_the_call_of_the_median_duration_is_shown():
    takes = iter([5.0, 1.0, 3.0, 2.0, 4.0, 9.0, 8.0, 7.0, 11.0, 6.0, 10.0])

    def recorder(calls):
        return [Call(next(takes), 0) for _ in calls]

    found = record(lambda: lambda: time.sleep(0.001), recorder)
    assert found.calls == 11 and found.call.total_us == 6.0
    assert found.plain_us >= 1000


def test_a_span_is_in_the_shortest_that_contains_it():
    spans = [Span("op", 2, 3), Span("call", 0, 10), Span("part", 1, 4), Span("later", 5, 6)]
    (call,) = nested(spans)
    assert [s.name for s in call.walk()] == ["call", "part", "op", "later"]
    assert [s.name for s in call.inner] == ["part", "later"]


def test_the_instruction_under_way_at_a_time_is_known():
    text = "def f(work):\n    work()\n    return work() + \\\n        work()\n"
    scope = {}
    exec(compile(text, FILE, "exec"), scope)
    times, followed = [], Instructions()
    with followed.traced():
        scope["f"](lambda: times.append(time.perf_counter_ns()) or 1)
    assert [followed.place(ns) for ns in times] == [(2, 5, 11), (3, 12, 18), (4, 9, 15)]
    assert followed.place(0) is None


def test_frames_outside_of_the_snippet_are_not_followed():
    followed = Instructions()
    with followed.traced():
        sorted([3, 1, 2], key=lambda x: -x)
    assert followed.place(time.perf_counter_ns()) is None
