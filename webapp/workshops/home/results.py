"""Results as tables: a row for each compiler of each program of a run."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from compiler_core import report
from webapp.runs.models import FINAL, Run
from webapp.runs.title import title
from webapp.runs.views import whole
from webapp.workshops.home.names import left, of_cell
from webapp.workshops.models import Seat

Cell = str | int | float | None

COLUMNS = (
    "seat", "left", "file", "link", "asked", "state", "title", "verdict", "program", "compiler",
    "graph_breaks", "launches", "library_calls", "bytes", "median_us", "speedup", "speedup_low",
    "speedup_high", "max_rel_error",
)  # fmt: skip


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """CSV with a head."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([of_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return written.getvalue()


def rows(seat: Seat, file: str, run: Run, link: str, at: datetime) -> Iterator[Sequence[Cell]]:
    """The rows of a run that was asked for at that time; one without figures where it has none, or
    has not ended."""
    who, called = (seat.name, left(seat)), run.title or title(run.source)
    head = (*who, file, link, at.isoformat(timespec="seconds"), run.state, called, run.verdict)
    found = [*_figures(whole(run))] if run.state in FINAL else []
    blank = (None,) * (len(COLUMNS) - len(head))
    for figures in found or [blank]:
        yield (*head, *figures)


def _figures(of: report.Report) -> Iterator[Sequence[Cell]]:
    for program in of.programs:
        for compiler in program.compilers:
            yield (program.name, *_compiled(program, compiler))


def _compiled(program: report.Program, by: report.CompilerSummary) -> Sequence[Cell]:
    timing = program.timings.get(by.compiler)
    numerics = program.numerics.get(by.compiler)
    times = (
        (timing.median_us, timing.speedup, timing.speedup_low, timing.speedup_high)
        if timing
        else (None,) * 4
    )
    counts = (by.breaks, by.launches, by.library_calls, by.bytes)
    error = numerics.max_rel_error if numerics else None
    return (by.compiler, *(each.value for each in counts), *times, error)
