"""The ladder as one table, and a finding for its first bad rung."""

from collections.abc import Iterator, Sequence

from compiler_core import report
from compiler_core.reference.ladder.backends import RUNGS
from compiler_core.reference.ladder.climb import Climbed, Compared, climb, compare
from compiler_core.reference.source_lines import SourceLines
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.report import Column, Finding, Row, Table
from compiler_core.wording import counted

LADDER = "ladder"
_COLUMNS = [
    Column("back end"),
    Column("adds", about="What it does beyond the back end above it."),
    Column("first call", "ms", "Compiling, and running once."),
    Column("graphs"),
    Column("breaks", about="Graph breaks, each once."),
    Column("max abs error", about="Against the same program in float64, over all outputs."),
    Column("max rel error"),
    Column("verdict"),
]
_ABOUT = (
    "The first back end that fails or gives other numbers names the part of torch.compile that is "
    "at fault: what it adds to the one above it"
)


def look(subject: Subject) -> Look:
    """One stage with a table, or why there is none."""
    if subject.framework != "torch":
        return "the ladder is of torch.compile's back ends, and this program is JAX's"
    return _look(subject)


def _look(subject: Subject) -> Iterator[Item]:
    climbed = list(climb(subject))
    found = compare(subject, climbed)
    verdicts = {each.rung.name: _verdict(each, found) for each in climbed}
    rows = [_row(each, verdicts[each.rung.name], found) for each in climbed]
    bad = next((each for each in climbed if not _is_right(each, found)), None)
    yield report.Stage(
        "back ends", "ok", 0.0, summary=_summary(climbed, bad),
        tables=[Table("ladder", _COLUMNS, rows, _ABOUT)],
    )  # fmt: skip
    if bad is not None:
        yield _finding(bad, verdicts[bad.rung.name], SourceLines(subject.captured.nodes))


_EQUAL, _NO_FURTHER = "as torch itself, bit by bit", "ok: no further off than torch itself"


def _is_right(each: Climbed, found: Compared) -> bool:
    error = found.errors.get(each.rung.name)
    return error is not None and (error.ok or each.rung.name in found.no_further)


def _verdict(each: Climbed, found: Compared) -> str:
    error = found.errors.get(each.rung.name)
    if error is None:
        return f"fails: {each.raised}"
    if not error.ok and each.rung.name in found.no_further:
        return _NO_FURTHER
    if not error.ok:
        return f"other numbers: {error.error or error.rule}"
    return _EQUAL if each.rung.name in found.equal else f"ok: {error.rule}"


def _row(each: Climbed, verdict: str, found: Compared) -> Row:
    error = found.errors.get(each.rung.name)
    cells: list[report.Cell] = [
        each.rung.name, each.rung.adds, None if each.raised else each.ms, each.graphs, each.breaks,
        None if error is None else error.max_abs_error,
        None if error is None else error.max_rel_error, verdict,
    ]  # fmt: skip
    return Row(cells, [], each.line)


def _summary(climbed: Sequence[Climbed], bad: Climbed | None) -> str:
    """Which rung is the first that fails or differs, and which the first that breaks the graph."""
    broken = next((each for each in climbed if each.breaks), None)
    notes = [
        "all back ends agree" if bad is None else f"{bad.rung.name} is the first that "
        f"{'fails' if bad.raised else 'gives other numbers'}"
    ]  # fmt: skip
    if broken is not None:
        breaks = counted(broken.breaks, "graph break")
        notes.append(f"{broken.rung.name} is the first that breaks the graph: {breaks}")
    return "; ".join(notes)


def _finding(bad: Climbed, verdict: str, lines: SourceLines) -> Finding:
    above = "" if bad.rung is RUNGS[0] else "the back ends above it in the table are right, and "
    what = "does not compile the program" if bad.raised else "gives other numbers than torch"
    return Finding(
        "failed" if bad.raised else "precision",
        LADDER,
        f"the back end {bad.rung.name} {what}",
        f"{above}it adds this: {bad.rung.adds}",
        bad.remedy or bad.rung.remedy,
        bad.line,
        nodes=lines.at(bad.line),
        raw=verdict,
        category=bad.rung.name,
    )
