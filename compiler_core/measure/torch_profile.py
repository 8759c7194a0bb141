"""Calls recorded by torch.profiler: operations, TorchDynamo's guard checks, compiled regions, spans
`marked` by us, and GPU kernels."""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch

from compiler_core.measure.recorded import Call, Span, nested

ABOUT = "recorded by torch.profiler"
_CALL = "fuselab: call"
# A span that ran on the GPU.
DEVICE = "device"


def marked(name: str) -> AbstractContextManager[Any]:
    """Context that is recorded under a name; it costs next to nothing without a recorder."""
    fast = getattr(torch._C._profiler, "_RecordFunctionFast", None)
    return torch.profiler.record_function(name) if fast is None else fast(name)


def profile(calls: Sequence[Callable[[], Any]]) -> list[Call]:
    """Runs each call once. The first use in a process takes about a second."""
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # it writes to the standard error
    began: list[int] = []
    with torch.profiler.profile(activities=_activities()) as recorded:
        for call in calls:
            with marked(_CALL):
                began.append(time.perf_counter_ns())
                call()
    return _calls(recorded.events(), began)


def _activities() -> list[Any]:
    known = [torch.profiler.ProfilerActivity.CPU]
    on_gpu = torch.cuda.is_available() and torch.cuda.is_initialized()
    return [*known, torch.profiler.ProfilerActivity.CUDA] if on_gpu else known


def _calls(events: Any, began: Sequence[int]) -> list[Call]:
    """What was recorded, call by call."""
    own = sorted(
        (e for e in events if e.name == _CALL and _on_cpu(e)), key=lambda e: e.time_range.start
    )
    rest = [e for e in events if e.name != _CALL]
    return [_call(each, ns, rest) for each, ns in zip(own, began, strict=True)]


def _on_cpu(event: Any) -> bool:
    return bool(event.device_type == torch.autograd.DeviceType.CPU)


def _call(call: Any, began_ns: int, events: Sequence[Any]) -> Call:
    start, end = call.time_range.start, call.time_range.end
    threads: dict[Any, list[Span]] = defaultdict(list)
    for event in events:
        if start <= event.time_range.start and event.time_range.end <= end:
            threads[_on_cpu(event), event.thread].append(_span(event, start))
    spans = [span for each in threads.values() for span in nested(each)]
    return Call(end - start, began_ns, tuple(sorted(spans, key=lambda s: s.start_us)))


def _span(event: Any, start: float) -> Span:
    at = event.time_range
    tags = frozenset() if _on_cpu(event) else frozenset({DEVICE})
    return Span(event.name, at.start - start, at.end - start, tags=tags)
