"""The tables in a report's text that have a row for each compiler."""

from collections.abc import Iterator, Sequence

from compiler_core.report.columns import size, table
from compiler_core.report.compilers import COMPILERS
from compiler_core.report.figures import FIGURES, CompilerSummary, Figure
from compiler_core.report.program import Program
from compiler_core.report.results import Timing
from compiler_core.report.timelines import EVENT_KINDS, Timeline, busy_us


def timings(program: Program) -> Iterator[str]:
    """The time of a call by each compiler, the interval of what it gains, and who is fastest."""
    fastest = program.measurement.fastest if program.measurement is not None else []
    rows = [
        [name, f"{t.median_us:.1f}", f"{t.p25_us:.1f}", f"{t.p75_us:.1f}", str(t.samples),
         *_gain(t), "" if t.first_call_ms is None else f"{t.first_call_ms:.1f}",
         ", ".join(filter(None, [t.verdict, _lead(name, fastest)]))]
        for name, t in program.timings.items()
    ]  # fmt: skip
    head = ["compiler", "median us", "p25", "p75", "n", "vs eager", "95 %", "first call ms", ""]
    yield from table(head, rows)


def _gain(timing: Timing) -> tuple[str, str]:
    low, high = timing.speedup_low, timing.speedup_high
    if timing.speedup is None:
        return "", ""
    known = low is not None and high is not None
    return f"{timing.speedup:.2f}x", f"[{low:.2f}, {high:.2f}]" if known else ""


def _lead(name: str, fastest: Sequence[str]) -> str:
    if name not in fastest:
        return ""
    return "fastest" if len(fastest) == 1 else "among the fastest"


def timelines(program: Program) -> Iterator[str]:
    """A table of the microseconds that one call of each compiler spends on each kind of event."""
    rows = [
        [lane.compiler, f"{lane.total_us:.1f}", f"{lane.total_us / lane.plain_us:.2f}x",
         *(f"{part:.1f}" if part else "" for part in _spent(lane))]
        for lane in program.timelines
    ]  # fmt: skip
    yield from table(["one call", "us", "unprofiled", *EVENT_KINDS, "nothing known"], rows)


def _spent(lane: Timeline) -> Iterator[float]:
    """Microseconds by kind of event, then those that no event covers."""
    yield from (busy_us(lane, kind) for kind in EVENT_KINDS)
    yield lane.total_us - busy_us(lane)


_PLACES: dict[str, int] = {compiler.id: place for place, compiler in enumerate(COMPILERS)}


def compilers(program: Program) -> Iterator[str]:
    """A table of each compiler's figures for the program, then the reason for each that is
    unknown."""
    last = len(_PLACES)
    summaries = sorted(program.compilers, key=lambda s: _PLACES.get(s.compiler, last))
    head = ["compiler", *(name.replace("_", " ") for name in FIGURES), "compiling"]
    rows = [
        [each.compiler, *(_figure(each, name) for name in FIGURES), _phases(each)]
        for each in summaries
    ]
    yield from table(head, rows)
    unknown: dict[str, list[str]] = {}
    for each in summaries:
        for name in FIGURES:
            figure: Figure = getattr(each, name)
            if figure.value is None:
                unknown.setdefault(figure.why, []).append(name.replace("_", " "))
    for why, names in unknown.items():
        yield f"  -: {', '.join(dict.fromkeys(names))}: {why}"


def _figure(summary: CompilerSummary, name: str) -> str:
    value: int | None = getattr(summary, name).value
    if value is None:
        return "-"
    return size(value) if name in ("bytes", "peak_bytes") else str(value)


def _phases(summary: CompilerSummary) -> str:
    return ", ".join(f"{phase.name} {phase.ms:.1f} ms" for phase in summary.phases)
