"""Where the time of one call goes: what ran when, for each compiler that the program was run by."""

from typing import Literal, get_args

import msgspec
from msgspec import field

from compiler_core.report.graphs import WHOLE

# kernel: generated code. library: a call of code that was there before: an operation of eager
# execution, a vendor's product. python: what stays in Python between graphs. guards: whether a
# compiled graph fits the call. overhead: what a compiler's runtime does around its kernels.
EventKind = Literal["kernel", "library", "python", "guards", "overhead"]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)


class TimelineEvent(msgspec.Struct, frozen=True):
    """Something that ran once, in microseconds since the call began."""

    start_us: float
    duration_us: float
    kind: EventKind
    # By the compiler's own name: a kernel's, an ATen operation's, an HLO instruction's.
    name: str
    # Ids of the captured operations that it computes, the selection key.
    nodes: list[int] = field(default_factory=list)
    # The line of the snippet, 1-based.
    line: int | None = None
    # Of the core: the id of the kernel of the plan, unique with `graph`.
    kernel: str = ""
    graph: str = WHOLE


class Timeline(msgspec.Struct, frozen=True):
    """One call by one compiler: of several profiled ones that of the median duration. Events are
    those that are known; what lies between them is nobody's: Python, dispatch, waiting. They may
    overlap where several threads run."""

    compiler: str
    # The profiled call.
    total_us: float
    # The median of calls that were not profiled, right before and after: what profiling adds is
    # the difference.
    plain_us: float
    # How many calls were profiled.
    calls: int
    events: list[TimelineEvent] = field(default_factory=list)
    # What it was recorded by, and what it does not show, for a person.
    about: str = ""
    # Events that there was no room for.
    left_out: int = 0


def busy_us(lane: Timeline, kind: EventKind | None = None) -> float:
    """The microseconds in which some event, or one of a kind, goes on: what runs at once counts
    once."""
    total, until = 0.0, 0.0
    for event in sorted(lane.events, key=lambda e: e.start_us):
        if kind is None or event.kind == kind:
            end = event.start_us + event.duration_us
            total += max(0.0, end - max(until, event.start_us))
            until = max(until, end)
    return total
