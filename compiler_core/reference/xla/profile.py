"""Calls recorded by XLA's own profiler, in memory: what jax.jit's calls dispatch, and each
instruction that runs."""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax

from compiler_core.measure.recorded import Call, Span, nested
from compiler_core.reference.xla import private

T = TypeVar("T")

ABOUT = "recorded by XLA's profiler"
_CALL = "fuselab: call"
# The tag of a span with the name of the instruction that it runs.
INSTRUCTION = "instruction"
# The beginning of the name of an event that only ends another.
_END = "end: "


def profile(calls: Sequence[Callable[[], Any]]) -> list[Call]:
    """Runs each call once. One recording goes on in a process at a time."""
    began: list[int] = []
    session = private.profiler()
    try:
        for call in calls:
            with jax.profiler.TraceAnnotation(_CALL):
                began.append(time.perf_counter_ns())
                call()
    finally:
        data = session.stop()
    return recorded(jax.profiler.ProfileData.from_serialized_xspace(data), began)


def profiled(run: Callable[[], T]) -> tuple[T, tuple[Span, ...]]:
    """The result of `run`, and the spans that were recorded of it; none if the profiler cannot
    record, for example while another recording goes on."""
    results: list[T] = []
    try:
        (call,) = profile([lambda: results.append(run())])
    except Exception:  # the profiler's own, or what `run` raises, which it raises again
        return (results[0] if results else run()), ()
    return results[0], call.spans


def recorded(data: Any, began: Sequence[int]) -> list[Call]:
    """The calls in a jax.profiler.ProfileData; `began` is when each began, by
    time.perf_counter_ns."""
    lines = [
        (number, event)
        for number, line in enumerate(line for plane in data.planes for line in plane.lines)
        for event in line.events
        if not event.name.startswith(_END)
    ]
    own = sorted((e for _, e in lines if e.name == _CALL), key=lambda e: e.start_ns)
    return [_call(each, ns, lines) for each, ns in zip(own, began, strict=True)]


def _call(call: Any, began_ns: int, events: Sequence[tuple[int, Any]]) -> Call:
    start, end = call.start_ns, call.start_ns + call.duration_ns
    threads: dict[int, list[Span]] = defaultdict(list)
    for thread, event in events:
        inside = start <= event.start_ns and event.start_ns + event.duration_ns <= end
        if inside and event.duration_ns and event.name != _CALL:
            threads[thread].append(_span(event, start))
    spans = [span for each in threads.values() for span in nested(each)]
    found = tuple(sorted(spans, key=lambda s: s.start_us))
    return Call(call.duration_ns / 1e3, began_ns, found)


def _span(event: Any, start: float) -> Span:
    begin = (event.start_ns - start) / 1e3
    stats = dict(event.stats)
    module = (str(stats["hlo_module"]),) if "hlo_module" in stats else ()
    tags = frozenset({INSTRUCTION, *module}) if "hlo_op" in stats else frozenset[str]()
    return Span(event.name, begin, begin + event.duration_ns / 1e3, tags=tags)
