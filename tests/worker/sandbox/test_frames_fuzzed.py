"""Whatever bytes a runner sends: frames, or a ProtocolViolation, in bounded memory."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler_core.report import Entry as ReportEntry
from compiler_core.report import Facts, Notice, Noticed, Printed, ProgramFound, encode_event
from worker.sandbox import protocol
from worker.sandbox.collector import Collector
from worker.sandbox.limits import Limits

KINDS = st.sampled_from([b"E", b"L", b"R", b"Q", b"\0", b"\xff"])
LENGTHS = st.integers(0, 40) | st.sampled_from([protocol.MAX_FRAME + 1, 2**31, 2**32 - 1])
EVENTS = [
    encode_event(event)
    for event in (
        Noticed(Notice("info", "x")),
        Printed("stdout", "text\\n"),
        ProgramFound(0, "f", "torch", ReportEntry(1), ["f32[4]"]),
        Facts(0, inputs=["f32[4]"]),
    )
]
PARTS = st.one_of(
    st.binary(max_size=60),
    st.builds(lambda k, n, rest: k + n.to_bytes(4, "big") + rest, KINDS, LENGTHS, st.binary()),
    st.sampled_from([protocol.pack(protocol.EVENT, event) for event in EVENTS]),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
seeded = settings(max_examples=150, derandomize=True, deadline=None, database=None)


def frames(chunks):
    reader = protocol.FrameReader(protocol.FROM_RUNNER, protocol.MAX_RUN)
    try:
        for chunk in chunks:
            yield from reader.feed(chunk)
    except protocol.ProtocolViolation as violation:
        yield b"!", str(violation).encode()


@seeded
@given(st.lists(PARTS, max_size=6), st.integers(1, 50))
def test_frames_are_the_same_however_the_bytes_are_cut(parts, step):
    data = b"".join(parts)
    whole = list(frames([data]))
    assert list(frames(data[at : at + step] for at in range(0, len(data), step))) == whole
    for kind, payload in whole:
        assert kind == b"!" or len(payload) <= protocol.FROM_RUNNER[kind]


def take(payload):
    """Whether the collector took the event; any error but a ProtocolViolation is a mistake."""
    try:
        Collector(Limits(output_bytes=1000)).event(payload)
    except protocol.ProtocolViolation:
        return False
    return True


@seeded
@given(st.sampled_from(EVENTS), st.integers(0, 200), st.integers(0, 8), st.binary(max_size=8))
def test_an_event_with_bytes_changed_is_taken_or_refused(event, at, cut, put):
    at = min(at, len(event))
    take(event[:at] + put + event[at + cut :])


@seeded
@given(st.sampled_from(["noticed", "printed", "facts", "stage_done", "started", 7]), JSON)
def test_any_json_is_taken_or_refused(kind, value):
    members = value if isinstance(value, dict) else {"program": value, "notice": value}
    take(protocol.encode({**members, "type": kind}))


def test_what_was_sent_by_a_correct_runner_is_taken():
    assert take(EVENTS[0])


@pytest.mark.parametrize("payload", [b"", b"null", b'{"type":"facts","program":-1}', b"\xff"])
def test_what_no_runner_sends_is_refused(payload):
    assert not take(payload)
