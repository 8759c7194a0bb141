"""Recorded calls: what ran when, whichever recorder saw it."""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

# Of profiled calls, and the seconds that they may take together.
_CALLS = (3, 11)
_SECONDS = 0.5
_WARM = 2


@dataclass(frozen=True)
class Span:
    """Something that ran, in microseconds since its call began, with what ran within it on the same
    thread, in order. `tags` are the recorder's remarks."""

    name: str
    start_us: float
    end_us: float
    inner: tuple["Span", ...] = ()
    tags: frozenset[str] = frozenset()

    @property
    def duration_us(self) -> float:
        """Its length in microseconds."""
        return self.end_us - self.start_us

    @property
    def middle_us(self) -> float:
        """The middle of it, in microseconds since the call began."""
        return (self.start_us + self.end_us) / 2

    def walk(self) -> Iterator["Span"]:
        """The span, then those within it."""
        yield self
        for each in self.inner:
            yield from each.walk()


@dataclass(frozen=True)
class Call:
    """One recorded call; `began_ns` is its beginning by time.perf_counter_ns."""

    total_us: float
    began_ns: int
    spans: tuple[Span, ...] = ()

    def walk(self) -> Iterator[Span]:
        """Every span of the call, outer ones before those within them."""
        for span in self.spans:
            yield from span.walk()


# Calls a program that many times while recording.
Recorder = Callable[[Sequence[Callable[[], Any]]], list[Call]]


@dataclass(frozen=True)
class Recorded:
    """The call of median duration among `calls` recorded ones, and the median duration of as many
    calls made without recording, half of them before and half after."""

    call: Call
    plain_us: float
    calls: int


# Makes the arguments of one call, and returns what is to be timed.
Prepared = Callable[[], Callable[[], Any]]


def record(prepared: Prepared, recorder: Recorder, plain: Prepared | None = None) -> Recorded:
    """Records calls of a program; `plain` is the same program without instrumentation, if there is
    another."""
    unrecorded = prepared if plain is None else plain
    for _ in range(_WARM):
        _us(unrecorded())
    count = _count(_us(unrecorded()))
    us = [_us(unrecorded()) for _ in range(count // 2 + 1)]
    for _ in range(_WARM):
        prepared()()
    calls = sorted(recorder([prepared() for _ in range(count)]), key=lambda c: c.total_us)
    us += [_us(unrecorded()) for _ in range(count // 2)]
    return Recorded(calls[len(calls) // 2], statistics.median(us), len(calls))


def _count(us: float) -> int:
    """An odd number, so that one of them is the median."""
    least, most = _CALLS
    return max(least, min(most, int(_SECONDS * 1e6 / us))) | 1


def _us(call: Callable[[], Any]) -> float:
    start = time.perf_counter_ns()
    call()
    return (time.perf_counter_ns() - start) / 1e3


@dataclass
class _Open:
    span: Span
    inner: list["_Open"] = field(default_factory=list)

    def closed(self) -> Span:
        own = self.span
        within = tuple(each.closed() for each in self.inner)
        return Span(own.name, own.start_us, own.end_us, within, own.tags)


def nested(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The spans of one thread as a tree, each within the shortest that contains it."""
    top = _Open(Span("", 0.0, float("inf")))
    open_ = [top]
    for span in sorted(spans, key=lambda s: (s.start_us, -s.end_us)):
        while span.start_us >= open_[-1].span.end_us:
            open_.pop()
        open_[-1].inner.append(_Open(span))
        open_.append(open_[-1].inner[-1])
    return tuple(each.closed() for each in top.inner)
