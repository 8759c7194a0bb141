"""What a table of results has of reports. Needs no Django, for it is done in a process apart: a
stranger's run may say millions of values."""

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from compiler_core import report
from webapp.runs.stored import decoded

Cell = str | int | float | None
Row = Sequence[Cell]
# Of a run; and characters of a name, of which a stranger may have made many long ones.
MOST_ROWS, LONGEST = 1000, 120


def figures(*stored: bytes) -> bytes:
    """The JSON of the rows of each of these stored reports."""
    return msgspec.json.encode([[*islice(_rows(decoded(each)), MOST_ROWS)] for each in stored])


def _rows(of: report.Report) -> Iterator[Row]:
    for program in of.programs:
        for compiler in program.compilers:
            yield (program.name[:LONGEST], *_compiled(program, compiler))


def _compiled(program: report.Program, by: report.CompilerSummary) -> Row:
    timing = program.timings.get(by.compiler)
    numerics = program.numerics.get(by.compiler)
    times = (
        (timing.median_us, timing.speedup, timing.speedup_low, timing.speedup_high)
        if timing
        else (None,) * 4
    )
    counts = (by.breaks, by.launches, by.library_calls, by.bytes)
    error = numerics.max_rel_error if numerics else None
    return (by.compiler[:LONGEST], *(each.value for each in counts), *times, error)
