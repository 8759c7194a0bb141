"""The part of a report's text that has a row for each compiler."""

from collections.abc import Iterator

from compiler_core.report.columns import table
from compiler_core.report.program import Program
from compiler_core.report.timelines import EVENT_KINDS, Timeline, busy_us


def timelines(program: Program) -> Iterator[str]:
    """What each compiler's call spends its time on; --json has what ran when."""
    rows = [
        [lane.compiler, f"{lane.total_us:.1f}", f"{lane.total_us / lane.plain_us:.2f}x",
         *(f"{part:.1f}" if part else "" for part in _spent(lane))]
        for lane in program.timelines
    ]  # fmt: skip
    yield from table(["one call", "us", "unprofiled", *EVENT_KINDS, "nothing known"], rows)


def _spent(lane: Timeline) -> Iterator[float]:
    """Microseconds by kind, and those of no event."""
    yield from (busy_us(lane, kind) for kind in EVENT_KINDS)
    yield lane.total_us - busy_us(lane)
