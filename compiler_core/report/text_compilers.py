"""The part of a report's text that has a row for each compiler."""

from collections.abc import Iterator

from compiler_core.report.columns import size, table
from compiler_core.report.compilers import COMPILERS
from compiler_core.report.figures import FIGURES, CompilerSummary, Figure
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


_PLACES: dict[str, int] = {compiler.id: place for place, compiler in enumerate(COMPILERS)}


def compilers(program: Program) -> Iterator[str]:
    """What each compiler made of the program, as numbers; why one is not known, once each."""
    told_of = sorted(program.compilers, key=lambda told: _PLACES.get(told.compiler, len(_PLACES)))
    head = ["compiler", *(name.replace("_", " ") for name in FIGURES), "compiling"]
    rows = [
        [told.compiler, *(_figure(told, name) for name in FIGURES), _phases(told)]
        for told in told_of
    ]
    yield from table(head, rows)
    unknown: dict[str, list[str]] = {}
    for told in told_of:
        for name in FIGURES:
            figure: Figure = getattr(told, name)
            if figure.value is None:
                unknown.setdefault(figure.why, []).append(name.replace("_", " "))
    for why, names in unknown.items():
        yield f"  -: {', '.join(dict.fromkeys(names))}: {why}"


def _figure(told: CompilerSummary, name: str) -> str:
    value: int | None = getattr(told, name).value
    if value is None:
        return "-"
    return size(value) if name in ("bytes", "peak_bytes") else str(value)


def _phases(told: CompilerSummary) -> str:
    return ", ".join(f"{phase.name} {phase.ms:.1f} ms" for phase in told.phases)
