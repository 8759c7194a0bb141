"""The why-list in a report's text, and the remedies that were tried."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import NamedTuple

from compiler_core.report.columns import speedup, table, times
from compiler_core.report.findings import Finding, Trial
from compiler_core.report.program import Program

# The most rows that are shown.
_MOST_ROWS = 20
# The most different entries with one reason that have rows of their own.
_FEW = 3
_MOST_LINES = 6


def why(program: Program) -> Iterator[str]:
    """A table of the findings of all compilers, equal ones once with their count, and many with one
    reason as that reason, ordered by line; those without a line come first. Then the remedies that
    were tried."""
    rows = sorted(_rows(program.findings), key=lambda row: row.first)
    cells = [[_lines(row), row.of.compiler, row.of.kind, row.text] for row in rows[:_MOST_ROWS]]
    yield from table(["why", "", "", ""], cells)
    if len(rows) > _MOST_ROWS:
        yield f"  {len(rows) - _MOST_ROWS} more, which --json has"
    yield from _trials(program)


class _Row(NamedTuple):
    """Findings that are shown as one, the first of them, and what is said of them."""

    of: Finding
    lines: list[int]
    text: str

    @property
    def first(self) -> int:
        return self.lines[0] if self.lines else 0


def _rows(findings: Sequence[Finding]) -> Iterator[_Row]:
    """The findings by compiler, kind and reason; a few with one reason each by itself."""
    for of in _grouped(findings, lambda f: (f.compiler, f.kind, f.why or f.what)):
        equal = _grouped(of, lambda f: (f.line, f.what, f.remedy))
        if of[0].why and len(equal) > _FEW:
            yield _row(of, of[0].why)
        else:
            yield from (_row(each, each[0].what) for each in equal)


def _row(of: Sequence[Finding], text: str) -> _Row:
    remedy = f" -> {of[0].remedy}" if of[0].remedy else ""
    lines = sorted({f.line for f in of if f.line})
    return _Row(of[0], lines, text + remedy + times(sum(f.count for f in of)))


def _lines(row: _Row) -> str:
    """ "line 3", "lines 3, 8"; blank where it is not known."""
    more = ", ..." if len(row.lines) > _MOST_LINES else ""
    shown = ", ".join(map(str, row.lines[:_MOST_LINES]))
    return f"line{'s' if len(row.lines) > 1 else ''} {shown}{more}" if shown else ""


def _grouped(
    findings: Sequence[Finding], key: Callable[[Finding], Hashable]
) -> list[list[Finding]]:
    found: dict[Hashable, list[Finding]] = {}
    for each in findings:
        found.setdefault(key(each), []).append(each)
    return [*found.values()]


def _trials(program: Program) -> Iterator[str]:
    """A table of the remedies that were tried, equal ones once; --json has the changed texts."""
    found = {
        (f.trial.source, f.trial.summary): (f.line, f.trial) for f in program.findings if f.trial
    }
    rows = [
        [f"line {line}" if line else "", _gain(trial), trial.summary]
        for line, trial in found.values()
    ]
    if program.together is not None:
        rows.append(["all", _gain(program.together), program.together.summary])
    yield from table(["remedy", "speedup", ""], rows)


def _gain(trial: Trial) -> str:
    """How many times as fast; "noise" where that may be chance."""
    is_noise = trial.times and trial.times[0].verdict == "same within noise"
    return "noise" if is_noise else speedup(trial.speedup)
