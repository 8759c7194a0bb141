"""Where the time of one call goes: the timeline of a call by each compiler."""

from typing import Literal, get_args

import msgspec
from msgspec import field

from compiler_core.report.graphs import WHOLE

# kernel: generated code. library: a call of existing code, such as an operation of eager execution
# or a vendor's matmul. python: what Python runs between graphs. guards: the checks whether a
# compiled graph fits the call. overhead: the work of a compiler's runtime around its kernels.
EventKind = Literal["kernel", "library", "python", "guards", "overhead"]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)


class TimelineEvent(msgspec.Struct, frozen=True):
    """One event of a call, with its start since the call began and its duration, in
    microseconds."""

    start_us: float
    duration_us: float
    kind: EventKind
    # The compiler's own name: of a kernel, an ATen operation, an HLO instruction.
    name: str
    # Ids of the captured operations that it computes, the selection key.
    nodes: list[int] = field(default_factory=list)
    # The line of the snippet, 1-based.
    line: int | None = None
    # For the core, the id of the plan's kernel, unique within `graph`.
    kernel: str = ""
    graph: str = WHOLE


class Timeline(msgspec.Struct, frozen=True):
    """One call of the program by one compiler: of several profiled calls the one with the median
    duration. Time that no event covers is not known to be anything: Python, dispatch, waiting.
    Events may overlap if several threads run."""

    compiler: str
    # The duration of the profiled call.
    total_us: float
    # The median duration of calls right before and after that were not profiled: the difference is
    # what profiling adds.
    plain_us: float
    # The number of calls that were profiled.
    calls: int
    events: list[TimelineEvent] = field(default_factory=list)
    # By what it was recorded, and what it does not show.
    about: str = ""
    # The number of events beyond the most that a timeline has.
    left_out: int = 0


def busy_us(lane: Timeline, kind: EventKind | None = None) -> float:
    """The microseconds in which at least one event, or one of this kind, runs; overlaps count
    once."""
    total, until = 0.0, 0.0
    for event in sorted(lane.events, key=lambda e: e.start_us):
        if kind is None or event.kind == kind:
            end = event.start_us + event.duration_us
            total += max(0.0, end - max(until, event.start_us))
            until = max(until, end)
    return total
