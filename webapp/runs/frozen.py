"""The report of a run that has ended: written once, without its texts, with the list of its texts
beside it; and read again, in whichever version it was written.

Making one decodes what a snippet's runner has sent, so workers do it; readers pass on what is
written.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from compiler_core import report
from webapp.runs import artifacts, joined, texts
from webapp.runs.models import Run, RunArtifact
from webapp.runs.stored import is_packed, unpacked
from webapp.runs.verdict import verdict

_LEVEL = 6


@dataclass(frozen=True)
class Frozen:
    """A report as it is written, packed, with the list of its texts."""

    run_id: str
    packed: bytes
    rows: Sequence[RunArtifact]
    verdict: str

    def write(self) -> None:
        """Stores it, for a run that accepts no more events."""
        listed = sum(len(row.entry) for row in self.rows)
        with transaction.atomic():
            RunArtifact.objects.bulk_create(self.rows, ignore_conflicts=True)
            stored = len(self.packed) + listed + texts.stored_bytes(self.run_id)
            written = {"report": self.packed, "form": report.form(), "stored": stored}
            Run.objects.filter(pk=self.run_id).update(**written, verdict=self.verdict)


def result(run_id: str, whole: report.Report) -> Frozen:
    """The report of a run as it will be written: what takes long is done before the database is
    held."""
    cut = report.without_texts(whole)
    packed = joined.packed(report.encode_report(cut), _LEVEL)
    return Frozen(run_id, packed, artifacts.rows(run_id, cut), verdict(whole))


def freeze(run_id: str, whole: report.Report) -> None:
    """Writes the report of a run that accepts no more events."""
    result(run_id, whole).write()


def read(run: Run) -> bytes:
    """The JSON of a stored report in its current form, without the texts that are stored
    separately."""
    raw = unpacked(bytes(run.report))
    return raw if run.form == report.form() else report.current(raw)


def plain_bytes(run: Run) -> int:
    """How long the JSON of a stored report is, without unpacking it."""
    stored = bytes(run.report)
    return joined.unpacked_bytes(stored) if is_packed(stored) else len(stored)
