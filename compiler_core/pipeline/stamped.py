"""The core's graphs, compiled again with launches that record when they begin and end."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from compiler_core import report
from compiler_core.backends.backend import Built, Stamps
from compiler_core.measure.recorded import Call, Recorder, Span
from compiler_core.pipeline.context import Compilation
from compiler_core.pipeline.report_building import kernels


@dataclass(frozen=True)
class Part:
    """One graph; `kernels` are those of its plan by name, and `ran` the beginning and end of each
    run, by time.perf_counter_ns."""

    built: Built
    stamps: Stamps
    kernels: Mapping[str, report.Kernel]
    ran: list[tuple[int, int]] = field(default_factory=list)

    def run(self, arguments: Sequence[Any]) -> list[torch.Tensor]:
        """Runs the graph and records when."""
        begin = time.perf_counter_ns()
        result = self.built(arguments)
        self.ran.append((begin, time.perf_counter_ns()))
        return result


def parts(c: Compilation) -> list[Part]:
    """The parts for all graphs. Raises ToolchainError if they cannot be compiled."""
    return [_part(part) for part in c.parts]


def _part(c: Compilation) -> Part:
    fused, plan, backend = c.running.fused, c.running.plan, c.running.backend
    assert fused is not None and plan is not None
    built, stamps = backend.build_with_stamps(plan)
    found = kernels(fused, plan, backend.name, c.line_of, c.regions(c.running))
    return Part(built, stamps, {kernel.id: kernel for kernel in found})


def recorder(parts: Sequence[Part], inner: Recorder) -> Recorder:
    """A recorder that adds to what `inner` records the graphs' runs and their launches, as spans
    tagged by the number of the graph."""

    def recorded(calls: Sequence[Callable[[], Any]]) -> list[Call]:
        for part in parts:
            part.stamps.take()
            part.ran.clear()
        found = inner(calls)
        taken = [part.stamps.take() for part in parts]
        return [_with(call, parts, taken) for call in found]

    return recorded


_RUN = ""


def _with(call: Call, parts: Sequence[Part], taken: Sequence[Sequence[Any]]) -> Call:
    spans = [
        Span(name, (begin - call.began_ns) / 1e3, (end - call.began_ns) / 1e3,
             tags=frozenset({str(number)}))
        for number, (part, stamps) in enumerate(zip(parts, taken, strict=True))
        for name, begin, end in (
            *((_RUN, *ran) for ran in part.ran),
            *((s.launch, s.begin_ns, s.end_ns) for s in stamps),
        )
        if 0 <= begin - call.began_ns <= call.total_us * 1e3
    ]  # fmt: skip
    return replace(call, spans=(*call.spans, *spans))


def _own(call: Call, parts: Sequence[Part]) -> list[tuple[Span, Part]]:
    numbered = {str(number): part for number, part in enumerate(parts)}
    return [(s, numbered[tag]) for s in call.spans for tag in s.tags if tag in numbered]


def runs(call: Call, parts: Sequence[Part]) -> list[Span]:
    """The spans in which graphs ran, in the order of time."""
    found = (span for span, _ in _own(call, parts) if span.name == _RUN)
    return sorted(found, key=lambda s: s.start_us)


def events(call: Call, parts: Sequence[Part]) -> list[report.TimelineEvent]:
    """The launches as events of the timeline."""
    return [
        _event(span, part.kernels[span.name])
        for span, part in _own(call, parts)
        if span.name != _RUN
    ]


def _event(span: Span, kernel: report.Kernel) -> report.TimelineEvent:
    return report.TimelineEvent(
        span.start_us, span.duration_us, "kernel" if kernel.library is None else "library",
        kernel.library or kernel.id, list(kernel.nodes), next(iter(kernel.lines), None),
        kernel.id, kernel.graph,
    )  # fmt: skip
