"""The report of a run that has ended: written once, without its texts, with the list of its texts
beside it; and read again, in whichever version it was written.

Writing decodes what a snippet's runner has sent, so workers do it; readers pass on what is written.
"""

import gzip

from django.db import transaction

from compiler_core import report
from webapp.runs import artifacts, joined, texts
from webapp.runs.models import Run, RunArtifact
from webapp.runs.verdict import verdict

_GZIP = b"\x1f\x8b"
_LEVEL = 6


def freeze(run_id: str, whole: report.Report) -> None:
    """Writes the report of a run that accepts no more events."""
    cut = report.without_texts(whole)
    rows = artifacts.rows(run_id, cut)
    raw = joined.packed(report.encode_report(cut), _LEVEL)
    listed = sum(len(row.entry) for row in rows)
    with transaction.atomic():
        RunArtifact.objects.bulk_create(rows, ignore_conflicts=True)
        stored = len(raw) + listed + texts.kept_bytes(run_id)
        written = {"report": raw, "form": report.form(), "stored": stored}
        Run.objects.filter(pk=run_id).update(**written, verdict=verdict(whole))


def read(run: Run) -> bytes:
    """The JSON of a stored report in its current form, without the texts that are stored
    separately."""
    stored = bytes(run.report)
    raw = gzip.decompress(stored) if stored.startswith(_GZIP) else stored
    return raw if run.form == report.form() else report.current(raw)


def plain_bytes(run: Run) -> int:
    """How long the JSON of a stored report is, without unpacking it."""
    stored = bytes(run.report)
    return joined.unpacked_bytes(stored) if stored.startswith(_GZIP) else len(stored)
