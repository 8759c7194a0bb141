"""Two reports side by side, as text: what differs is said, what does not is left out."""

from collections.abc import Iterable, Iterator

from compiler_core.report.columns import table
from compiler_core.report.differences import (
    NOT_MEASURED,
    ComparedLine,
    Comparison,
    ProgramComparison,
    StageDifference,
    compared,
)
from compiler_core.report.report import Report

Names = tuple[str, str]
_APART = (
    "Times of two runs are of two moments, and what else the machine did may differ: only those of "
    "one run were taken in turn. Each run's time over its own eager's is the safer comparison."
)
# The most stages of a program that are shown.
_MOST = 60


def comparison(first: Report, second: Report, names: Names = ("A", "B")) -> str:
    """What differs, under the names of the two; one line where nothing does but the times."""
    text = _lines(compared(first, second), names)
    return "\n".join([*text, *_caution(first, second)])


def _lines(found: Comparison, names: Names) -> Iterator[str]:
    same = [["the same versions and options", "", ""]]
    yield from table(["", *names], _different(found.about) or same)
    for program in found.programs:
        yield ""
        yield from _program(program, names)


def _caution(*reports: Report) -> Iterator[str]:
    if all(any(p.timings for p in each.programs) for each in reports):
        yield from ("", _APART)


def _different(lines: Iterable[ComparedLine]) -> list[list[str]]:
    return [[x.what, x.a, x.b] for x in lines if x.differs or _is_in_one(x)]


def _is_in_one(line: ComparedLine) -> bool:
    return NOT_MEASURED in (line.a, line.b)


def _program(found: ProgramComparison, names: Names) -> Iterator[str]:
    if None in found.at:
        yield f"{found.name}: only in {names[found.at[0] is None]}"
        return
    yield found.name
    figures = _different(found.figures)
    yield from table(["", *names], figures)
    times = [[x.what, x.a, x.b, "" if _is_in_one(x) else x.change] for x in found.times]
    yield from table(["median us", *names, ""], times)
    stages = [_stage(each, names) for each in found.stages[:_MOST]]
    yield from table(["differs", ""], stages)
    if len(found.stages) > _MOST:
        yield f"  {len(found.stages) - _MOST} more stages differ"
    if not figures and not stages:
        yield "  the same launches, bytes, errors and texts"


def _stage(found: StageDifference, names: Names) -> list[str]:
    if None in found.at:
        return [found.name, f"only in {names[found.at[0] is None]}"]
    return [found.name, ", ".join(filter(None, (found.words, *found.texts)))]
