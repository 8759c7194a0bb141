"""The why-list in a report's text, and the remedies that were tried."""

from collections.abc import Iterator

from compiler_core.report.columns import speedup, table, times
from compiler_core.report.program import Program

# The most entries that are shown.
_MOST_FINDINGS = 20


def why(program: Program) -> Iterator[str]:
    """A table of the findings of all compilers, equal ones once with their count, ordered by line;
    those without a line come first. Then the remedies that were tried."""
    counts: dict[tuple[str, str, int, str], int] = {}
    for f in program.findings:
        text = f.what + (f" -> {f.remedy}" if f.remedy else "")
        key = (f.compiler, f.kind, f.line or 0, text)
        counts[key] = counts.get(key, 0) + f.count
    found = sorted(counts.items(), key=lambda entry: entry[0][2])
    rows = [
        [f"line {line}" if line else "", compiler, kind, text + times(count)]
        for (compiler, kind, line, text), count in found[:_MOST_FINDINGS]
    ]
    yield from table(["why", "", "", ""], rows)
    if len(found) > _MOST_FINDINGS:
        yield f"  {len(found) - _MOST_FINDINGS} more, which --json has"
    yield from _trials(program)


def _trials(program: Program) -> Iterator[str]:
    """A table of the remedies that were tried, equal ones once; --json has the changed texts."""
    found = {
        (f.trial.source, f.trial.summary): (f.line, f.trial) for f in program.findings if f.trial
    }
    rows = [
        [f"line {line}" if line else "", speedup(trial.speedup), trial.summary]
        for line, trial in found.values()
    ]
    if program.together is not None:
        rows.append(["all", speedup(program.together.speedup), program.together.summary])
    yield from table(["remedy", "speedup", ""], rows)
