"""What a runner says is held against what a report may be."""

import pytest

from compiler_core.report import (
    Entry,
    Notice,
    Noticed,
    Printed,
    ProgramFound,
    StageBegan,
    encode_event,
)
from worker.sandbox import protocol
from worker.sandbox.collector import Collector
from worker.sandbox.limits import Limits


def collector(output_bytes: int = 1000) -> Collector:
    return Collector(Limits(output_bytes=output_bytes))


def test_events_are_taken_once_and_folded() -> None:
    found = ProgramFound(0, "model", "torch", Entry(), [])
    c = collector()
    c.event(encode_event(found))
    assert (c.take(), c.take()) == ([found], [])
    assert c.report.programs[0].name == "model"


def test_who_has_waited_is_at_what_it_was_before() -> None:
    c = collector()
    c.add(ProgramFound(0, "model", "torch", Entry(), []))
    asks = StageBegan(0, "measure", "waiting for the device")
    c.add(asks)
    c.goes_on(has_lease=True)
    c.take()
    for has_lease, then in ((False, asks), (True, StageBegan(0, "measure"))):
        c.waits("to measure, after at most 1 other run")
        c.goes_on(has_lease=has_lease)
        assert c.take()[1:] == [then]


def test_prints_of_one_stream_become_one_event() -> None:
    c = collector()
    for text in (b"a", b"b"):
        c.printed("stdout", text)
    c.printed("stderr", b"c")
    assert c.take() == [Printed("stdout", "ab"), Printed("stderr", "c")]
    assert c.report.output.stdout == "ab"


def test_a_character_may_come_in_pieces() -> None:
    c = collector()
    for byte in "é".encode():
        c.printed("stdout", bytes([byte]))
    assert c.take() == [Printed("stdout", "é")]


def test_both_ways_of_printing_share_one_limit() -> None:
    c = collector(output_bytes=3)
    c.printed("stdout", b"ab")
    c.event(encode_event(Printed("stdout", "cd")))
    c.printed("stderr", b"ef")
    assert (c.report.output.stdout, c.report.output.stderr) == ("abc", "")
    assert len(c.report.notices) == 1


def test_too_many_events_are_refused() -> None:
    c, event = collector(), encode_event(Noticed(Notice("info", "")))
    with pytest.raises(protocol.Flood, match="more than 20000 events"):
        for _ in range(protocol.MAX_EVENTS + 1):
            c.event(event)


@pytest.mark.parametrize("program", [-1, 0, 7])
def test_a_stage_of_no_program_is_refused(program: int) -> None:
    with pytest.raises(protocol.ProtocolViolation, match="not announced"):
        collector().event(encode_event(StageBegan(program, "capture")))


def test_what_it_is_busy_with_is_told() -> None:
    c = collector()
    assert c.doing() == "running the snippet"
    c.add(ProgramFound(0, "model", "torch", Entry(), []), StageBegan(0, "capture"))
    assert c.doing() == "capture of model"
