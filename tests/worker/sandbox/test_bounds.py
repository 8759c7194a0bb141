"""What one event may hold is told from its bytes, before anything of it is built."""

import tracemalloc

import pytest

from compiler_core.report import (
    Artifact,
    Event,
    Facts,
    Failure,
    Notice,
    Noticed,
    Printed,
    ProgramFailed,
    Stage,
    StageDone,
    encode_event,
)
from tests.worker.conftest import Deed
from worker.sandbox import bounds, protocol
from worker.sandbox.collector import Collector
from worker.sandbox.limits import Limits

LONG = bounds.MAX_STRING + 1
# As a hostile runner writes them, near to the longest frame.
MANY_LISTS = b'{"type":"facts","program":0,"nodes":[' + b"[]," * (5 << 20) + b"[]]}"
MANY_STRINGS = b'{"type":"facts","program":0,"inputs":[' + b'"",' * (5 << 20) + b'""]}'


def with_text(text: str) -> Event:
    return StageDone(0, Stage("s", "ok", 1.0, [Artifact("a", "c", "c", text)]))


@pytest.mark.parametrize(
    "event",
    [
        with_text("x" * 10 * LONG),
        with_text('"\\",[{' * LONG),
        Printed("stdout", "x" * LONG),
        Facts(0, inputs=["x" * (LONG - 1)]),
    ],
)
def test_what_a_correct_runner_sends_passes(event: Event) -> None:
    assert bounds.values(encode_event(event)) < 100


@pytest.mark.parametrize(
    "event",
    [
        Noticed(Notice("info", "x" * LONG)),
        Noticed(Notice("info", '\\"' * LONG)),
        ProgramFailed(0, Failure("capture", "x" * LONG)),
        StageDone(0, Stage("s", "ok", 1.0, summary="x" * LONG)),
        Facts(0, inputs=["x" * LONG]),
    ],
)
def test_a_long_string_that_is_no_text_is_refused_and_can_be_shortened(event: Event) -> None:
    with pytest.raises(bounds.Beyond, match="a string of more than 64 KiB"):
        bounds.values(encode_event(event))
    assert bounds.values(encode_event(bounds.shortened(event))) < 100


def test_the_values_are_counted_whatever_strings_hold() -> None:
    one = bounds.values(encode_event(Facts(0, inputs=["a"])))
    assert bounds.values(encode_event(Facts(0, inputs=['"],[{\\']))) == one
    assert bounds.values(encode_event(Facts(0, inputs=["a"] * 11))) == one + 10


@pytest.mark.parametrize("payload", [MANY_LISTS, MANY_STRINGS], ids=["lists", "strings"])
def test_many_small_values_are_refused_before_they_are_built(payload: bytes) -> None:
    tracemalloc.start()
    with pytest.raises(protocol.Flood, match="more than 1,000,000 values in one event"):
        Collector(Limits(output_bytes=1000)).event(payload)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * len(payload)


def test_many_events_of_many_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MAX_RUN_VALUES", 1000)
    collector = Collector(Limits(output_bytes=1000))
    with pytest.raises(protocol.Flood, match="more than 1,000 values"):
        for _ in range(300):
            collector.event(encode_event(Noticed(Notice("info", ""))))


@pytest.mark.service
def test_an_exception_of_a_megabyte_is_told_in_part(deed: Deed) -> None:
    outcome = deed(
        "from compiler_core.report import *\n"
        "emit(SnippetFailed(Failure('snippet', 'why' * 1000000)))"
    )
    assert outcome.message.startswith("whywhy")
    assert outcome.message.endswith(
        "... cut after 8,192 of 3,000,000 characters: one of more than 64 KiB is not kept whole"
    )


@pytest.mark.service
def test_a_runner_that_sends_millions_of_values_ends_with_a_sentence(deed: Deed) -> None:
    lists = 'b\'{"type":"facts","program":0,"nodes":[\' + b\'[],\' * (5 << 20) + b\'[]]}\''
    outcome = deed(f"p = {lists}\nstream.sendall(b'E' + len(p).to_bytes(4, 'big') + p)")
    assert outcome.stage == "output"
    assert "more than 1,000,000 values in one event" in outcome.message
