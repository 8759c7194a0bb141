"""The decoder of a runner's frames, fuzzed towards what of it was not reached yet.

A stream that takes a step from one line to another which none took before is kept, and changed
further. Bounds are small meanwhile, so that short streams reach them. The same streams come at
every run.
"""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

import pytest

from compiler_core.report import Entry as ReportEntry
from compiler_core.report import Facts, Failure, Printed, ProgramFound, SnippetFailed, encode_event
from worker.sandbox import bounds, collector, protocol
from worker.sandbox.limits import Limits

STREAM = b"".join(
    protocol.pack(kind, payload)
    for kind, payload in (
        (protocol.EVENT, encode_event(ProgramFound(0, "f", "torch", ReportEntry(1), ["f32[4]"]))),
        (protocol.LEASE, b"cpu"),
        (protocol.EVENT, encode_event(Printed("stderr", "plain" * 10))),
        (protocol.EVENT, encode_event(Facts(0, inputs=["f32[4]"]))),
        (protocol.RELEASE, b""),
        (protocol.EVENT, encode_event(Printed("stdout", '"\\"'))),
        (protocol.EVENT, encode_event(SnippetFailed(Failure("s", "OSError: [Errno 28] No")))),
    )
)
# What is put somewhere: signs that the decoder looks for.
PUT = (
    *(b'"', b"\\", b"[" * 80, b'"' * 400, b"x" * 200, b"text", b":", b"\0\0\0\0", b"\xff" * 4, b""),
    *protocol.FROM_RUNNER,
)
DECODER = (
    protocol.FrameReader.feed,
    protocol.FrameReader._header,
    bounds.values,
    bounds._refuse_long,
    collector.Collector.event,
    collector.Collector._measure,
)
STREAMS = 5000
Step = tuple[CodeType, int, int]


class Steps:
    """The steps from one line to the next in the decoder, of one stream."""

    FILES = frozenset(module.__file__ for module in (protocol, bounds, collector))

    def __init__(self) -> None:
        self.seen: set[Step] = set()
        self._last: dict[FrameType, int] = {}

    @contextmanager
    def counted(self) -> Iterator[None]:
        before = sys.gettrace()
        sys.settrace(self._call)
        try:
            yield
        finally:
            sys.settrace(before)

    def _call(self, frame: FrameType, event: str, value: object) -> Any:
        return self._line if frame.f_code.co_filename in self.FILES else None

    def _line(self, frame: FrameType, event: str, value: object) -> Any:
        if event == "line":
            line = frame.f_lineno
            self.seen.add((frame.f_code, self._last.get(frame, 0), line))
            self._last[frame] = line
        return self._line


def changed(data: bytes, chance: random.Random) -> bytes:
    """`data` with bytes put in place of others; each frame's length now and then made right again,
    for what is in it to be looked at."""
    at, cut = chance.randrange(len(data) + 1), chance.choice((0, 0, 1, 4, 30, len(data)))
    data = data[:at] + chance.choice(PUT) + data[at + cut :]
    return with_lengths(data) if chance.random() < 0.5 else data


def with_lengths(data: bytes) -> bytes:
    """What looks like an event in `data`, each in a frame of its length."""
    begun = [b'{"type"' + piece for piece in data.split(b'{"type"')[1:]]
    events = [piece[: piece.rfind(b"}") + 1] for piece in begun]
    return b"".join(protocol.pack(protocol.EVENT, event) for event in events)


def decoded(data: bytes, most: int) -> str:
    """Why the stream is refused, of which `most` bytes may come; "" where it is taken. Any error
    but a ProtocolViolation is a mistake of ours."""
    reader = protocol.FrameReader(protocol.FROM_RUNNER, most)
    taker = collector.Collector(Limits(output_bytes=100))
    try:
        for kind, payload in reader.feed(data):
            if kind == protocol.EVENT:
                taker.event(payload)
    except protocol.ProtocolViolation as violation:
        return str(violation)
    return ""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("MAX_VALUES", 90), ("MAX_RUN_VALUES", 95), ("MAX_STRING", 150)):
        monkeypatch.setattr(bounds, name, value)
    monkeypatch.setattr(collector, "MAX_EVENTS", 4)


@pytest.mark.usefixtures("small")
def test_every_line_of_the_decoder_is_reached_and_none_raises_but_a_violation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance, kept, seen = random.Random(17), [STREAM], set[Step]()
    for _ in range(STREAMS):
        data, steps = changed(chance.choice(kept), chance), Steps()
        with steps.counted():
            decoded(data, chance.choice((4096, len(STREAM) // 2)))
        if steps.seen - seen and len(data) < 4096:
            kept.append(data)
        seen |= steps.seen
    # More frames than there may be are not come upon by chance.
    monkeypatch.setattr(protocol, "MAX_FRAMES", 2)
    with (steps := Steps()).counted():
        assert decoded(STREAM, 4096) == "more than 2 frames"
    seen |= steps.seen
    reached = {(code, line) for code, _, line in seen}
    for function in DECODER:
        code = function.__code__
        lines = {line for *_, line in code.co_lines() if line and line > code.co_firstlineno}
        assert {(code, line) for line in lines} <= reached, function.__name__
