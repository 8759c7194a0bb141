"""The report of a run that has ended: written once, without its texts, with the list of these
beside it; and read again, also those of earlier versions.

Writing decodes what a snippet's runner has sent, which is the worker's to do; a reader sends on
what is written.
"""

import gzip

from django.db import transaction

from compiler_core import report
from webapp.runs import artifacts, texts
from webapp.runs.models import Run, RunArtifact

_GZIP = b"\x1f\x8b"
_LEVEL = 6


def freeze(run_id: str, whole: report.Report) -> None:
    """Writes the report of a run that takes no more events."""
    cut = report.without_texts(whole)
    rows = artifacts.rows(run_id, cut)
    raw = gzip.compress(report.encode_report(cut), _LEVEL, mtime=0)
    listed = sum(len(row.entry) for row in rows)
    with transaction.atomic():
        RunArtifact.objects.bulk_create(rows, ignore_conflicts=True)
        stored = len(raw) + listed + texts.kept_bytes(run_id)
        Run.objects.filter(pk=run_id).update(report=raw, form=report.form(), stored=stored)


def read(run: Run) -> bytes:
    """The JSON of a frozen report as one of today's, without those of its texts that are kept
    apart."""
    stored = bytes(run.report)
    raw = gzip.decompress(stored) if stored.startswith(_GZIP) else stored
    return raw if run.form == report.form() else report.current(raw)
