"""Results as tables: a row for each compiler of each program of a run."""

import csv
import io
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from webapp.apart import asking as apart
from webapp.errors import Refused
from webapp.runs import frozen, views
from webapp.runs.models import FINAL, Run
from webapp.runs.title import title
from webapp.workshops.home import figures
from webapp.workshops.home.figures import Cell, Row
from webapp.workshops.home.names import left, of_cell
from webapp.workshops.models import Seat

COLUMNS = (
    "seat", "left", "file", "link", "asked", "state", "title", "verdict", "program", "compiler",
    "graph_breaks", "launches", "library_calls", "bytes", "median_us", "speedup", "speedup_low",
    "speedup_high", "max_rel_error",
)  # fmt: skip
# So much of reports is decoded at once, and for so many seconds in all.
_BATCH_BYTES, _MOST_S = 8 * 2**20, 30.0
_TOO_MUCH = 422
# In the place of a program of a run whose figures are not told.
_TOO_LARGE, _TOO_MANY = "its report is too large", "there are too many runs"


def table(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """CSV with a head."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([of_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return written.getvalue()


def figures_of(runs: Iterable[Run]) -> dict[str, list[Row]]:
    """The figures of those runs that have ended, by their ids. Raises Refused where others have
    theirs decoded."""
    found, until = dict[str, list[Row]](), time.monotonic() + _MOST_S
    for batch in _batches(run for run in runs if run.state in FINAL):
        late = time.monotonic() > until
        found |= {run: [(_TOO_MANY,)] for run in batch} if late else _decoded(batch)
    return found


def _batches(runs: Iterable[Run]) -> Iterator[dict[str, bytes]]:
    batch, size = dict[str, bytes](), 0
    for run in runs:
        more = frozen.plain_bytes(run)
        if batch and size + more > _BATCH_BYTES:
            yield batch
            batch, size = {}, 0
        batch[run.pk] = views.stored(run)
        size += more
    if batch:
        yield batch


def _decoded(batch: Mapping[str, bytes]) -> dict[str, list[Row]]:
    try:
        encoded = apart.done(figures.figures, *batch.values())
    except Refused as refused:
        if refused.refusal.status != _TOO_MUCH:
            raise
        if len(batch) == 1:
            return {run: [(_TOO_LARGE,)] for run in batch}
        alone = (_decoded({run: stored}) for run, stored in batch.items())
        return {run: rows for each in alone for run, rows in each.items()}
    return dict(zip(batch, msgspec.json.decode(encoded, type=list[list[list[Cell]]]), strict=True))


def rows(
    seat: Seat, file: str, run: Run, link: str, at: datetime, figures: Sequence[Row]
) -> Iterator[Row]:
    """The rows of a run that was asked for at that time; one without figures where it has none."""
    who, called = (seat.name, left(seat)), run.title or title(run.source)
    head = (*who, file, link, at.isoformat(timespec="seconds"), run.state, called, run.verdict)
    blank = (None,) * (len(COLUMNS) - len(head))
    for each in figures or [blank]:
        yield (*head, *each, *blank[len(each) :])
