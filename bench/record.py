"""From the reports of one or more rounds to one row a program, and what all rows say together."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import Any

from compiler_core import report
from compiler_core.report import Program

NAMES = tuple(c.id for c in report.COMPILERS)
RIVALS = tuple(c.id for c in report.REFERENCES)
WITHIN = 1.10
BELOW = "below the physical floor"


@dataclass(frozen=True)
class Times:
    """Of one compiler: microseconds of a call, milliseconds of compiling. `rounds` are the
    medians of each round, of which `median_us` is the median. `device_us` are microseconds by the
    device's own clock, None where it is not asked."""

    median_us: float
    p25_us: float
    p75_us: float
    samples: int
    capture_ms: float | None
    compile_ms: float | None
    first_call_ms: float | None
    rounds: list[float]
    device_us: float | None = None


@dataclass(frozen=True)
class CoreCounts:
    """Counts of the core's compilation of one program. `kernels` are generated kernels, `library`
    the library calls by name; captured operations are `native_ops` or `library_ops` by the launch
    that they are in (views, which need none, are neither). `outside` are the framework's own
    launches, outside of any graph."""

    graphs: int
    breaks: int
    kernels: int
    library: dict[str, int]
    native_ops: int
    library_ops: int
    outside: int


@dataclass(frozen=True)
class Row:
    """`problems`: what failed, was refused or is not right, in words. A snippet that gave no report
    is a row without a program. `label` names the row in a table."""

    snippet: str
    program: str
    framework: str
    times: dict[str, Times] = field(default_factory=dict)
    errors: dict[str, dict[str, Any]] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)
    protocol: str = ""
    problems: list[str] = field(default_factory=list)
    label: str = ""
    # Named as the recorded results have it.
    made: CoreCounts | None = None
    # The family of the suite's programs that it is of; blank outside of families.
    family: str = ""

    @property
    def verdict(self) -> str:
        """Of the core's numbers."""
        core = self.errors.get("core")
        return "failed" if core is None else "right" if core["ok"] else "WRONG"

    def us(self, compiler: str) -> float | None:
        return self.times[compiler].median_us if compiler in self.times else None

    @property
    def best_rival(self) -> str | None:
        there = [name for name in RIVALS if name in self.times]
        return min(there, key=lambda name: self.times[name].median_us, default=None)

    @property
    def lead(self) -> float | None:
        """The best rival's time over the core's: more than 1 is ahead."""
        best = self.best_rival
        if best is None or "core" not in self.times:
            return None
        return self.times[best].median_us / self.times["core"].median_us


def rows_of(snippet: str, reports: Sequence[report.Report], family: str = "") -> list[Row]:
    """One row for each program of the snippet, and one for what ended the snippet itself."""
    return [replace(r, family=family) for r in _rows_of(snippet, reports)]


def _rows_of(snippet: str, reports: Sequence[report.Report]) -> list[Row]:
    if not reports:
        return [Row(snippet, "", "", problems=["there is no report"], label=snippet)]
    count = min(len(r.programs) for r in reports)
    rows = [
        row(snippet, [r.programs[i] for r in reports], reports[-1].protocol, several=count > 1)
        for i in range(count)
    ]
    ended = dict.fromkeys(r.error.message for r in reports if r.error is not None)
    return rows + [Row(snippet, "", "", problems=list(ended), label=snippet)] * bool(ended)


def row(snippet: str, rounds: Sequence[Program], protocol: str, several: bool = False) -> Row:
    """One program's rounds, each a whole measurement in a process of its own. One of several
    programs of a snippet is named by both."""
    last = rounds[-1]
    # A time that cannot be is no figure: it is among the problems.
    names = [n for n in NAMES if all(_is_figure(p.timings.get(n)) for p in rounds)]
    return Row(
        snippet=snippet,
        program=last.name,
        framework=last.framework,
        times={name: _times([p.timings[name] for p in rounds]) for name in names},
        errors={
            n: {"max_abs_error": e.max_abs_error, "max_rel_error": e.max_rel_error, "ok": e.ok}
            for n, e in last.numerics.items()
        },
        summary={n: getattr(last.summary, n) for n in last.summary.__struct_fields__},
        protocol=protocol,
        problems=list(dict.fromkeys(p for each in rounds for p in _problems(each))),
        label=f"{snippet} {last.name}" if several else snippet,
        made=_core_counts(last),
    )


def _is_figure(timing: report.Timing | None) -> bool:
    return timing is not None and timing.verdict != BELOW


def _core_counts(program: Program) -> CoreCounts:
    ran = [k for k in program.kernels if k.backend == program.backend]
    native = {node for k in ran if k.library is None for node in k.nodes}
    called = {node for k in ran if k.library is not None for node in k.nodes}
    return CoreCounts(
        graphs=len(program.graphs),
        breaks=len(program.graph_breaks),
        kernels=sum(k.library is None for k in ran),
        library=dict(Counter(k.library for k in ran if k.library is not None)),
        native_ops=len(native),
        library_ops=len(called - native),
        outside=program.summary.launches_outside,
    )


def _times(rounds: Sequence[Any]) -> Times:
    def middle(name: str) -> float | None:
        values = [v for t in rounds if (v := getattr(t, name)) is not None]
        return median(values) if values else None

    return Times(
        median_us=median(t.median_us for t in rounds),
        p25_us=median(t.p25_us for t in rounds),
        p75_us=median(t.p75_us for t in rounds),
        samples=sum(t.samples for t in rounds),
        capture_ms=middle("capture_ms"),
        compile_ms=middle("compile_ms"),
        first_call_ms=middle("first_call_ms"),
        rounds=[t.median_us for t in rounds],
        device_us=middle("device_us"),
    )


def _problems(program: Program) -> list[str]:
    found = [] if program.error is None else [f"{program.error.stage}: {program.error.message}"]
    found += [f"{s.name}: {s.summary}" for s in program.stages if s.kind == "reference"
              and s.status != "ok"]  # fmt: skip
    found += [f"{name} is wrong: {n.error}" for name, n in program.numerics.items() if not n.ok]
    return found + [
        f"{name} is {BELOW}" for name, t in program.timings.items() if t.verdict == BELOW
    ]


def totals(rows: Sequence[Row]) -> dict[str, Any]:
    """Geometric means over the programs that have both numbers, and how often the core is as
    fast as the better of its rivals."""
    leads = [r.lead for r in rows if r.lead is not None]
    return {
        "programs": len(rows),
        "right": sum(r.verdict == "right" for r in rows),
        "eager_over": {
            name: geomean([r.times["eager"].median_us / r.times[name].median_us
                           for r in rows if {"eager", name} <= r.times.keys()])
            for name in ("core", *RIVALS)
        },
        "best_rival_over_core": geomean(leads),
        "within_10_percent_or_ahead": sum(lead * WITHIN >= 1 for lead in leads),
        "ahead": sum(lead > 1 for lead in leads),
        "compile_over_core": {
            name: geomean([theirs / own for r in rows
                           if (own := _compile(r, "core")) and (theirs := _compile(r, name))])
            for name in RIVALS
        },
    }  # fmt: skip


def _compile(row: Row, name: str) -> float | None:
    return row.times[name].compile_ms if name in row.times else None


def geomean(values: Sequence[float]) -> float | None:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [asdict(r) | {"best_rival": r.best_rival, "best_rival_over_core": r.lead} for r in rows]


def from_json(rows: Sequence[dict[str, Any]]) -> list[Row]:
    """The rows of a file that was written before."""
    return [_from_json(dict(each)) for each in rows]


def _from_json(each: dict[str, Any]) -> Row:
    del each["best_rival"], each["best_rival_over_core"]
    each["times"] = {name: Times(**t) for name, t in each["times"].items()}
    each["made"] = CoreCounts(**each["made"]) if each["made"] else None
    return Row(**each)
