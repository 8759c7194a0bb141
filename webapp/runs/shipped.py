"""Stores a run that comes with the project, report and texts, as if a worker had done it here."""

import gzip
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from django.db import transaction

from compiler_core import report
from webapp.runs import frozen
from webapp.runs.models import Run, RunText, State
from webapp.runs.texts import refer
from webapp.runs.title import title

_LEVEL = 6


@dataclass(frozen=True)
class Shipped:
    """A report with its texts, when its run was over, and how many seconds that had taken."""

    report: report.Report
    finished: datetime
    seconds: float


def store(run_id: str, shipped: Shipped) -> Run:
    """The run with this id: stored for good, owned by nobody, and only once however many ask."""
    whole, contents = shipped.report, dict[str, bytes]()
    for program in whole.programs:
        program.stages = [
            report.with_artifacts(stage, lambda x: refer(x, contents)) for stage in program.stages
        ]
    with transaction.atomic():
        run, is_new = Run.objects.get_or_create(pk=run_id, defaults=_fields(shipped))
        if is_new:
            RunText.objects.bulk_create(
                RunText(run=run, sha256=sha256, content=gzip.compress(text, _LEVEL, mtime=0))
                for sha256, text in contents.items()
            )
            frozen.freeze(run_id, whole)
    return Run.objects.get(pk=run_id)


def _fields(shipped: Shipped) -> dict[str, object]:
    source = shipped.report.snippet.source
    began = shipped.finished - timedelta(seconds=shipped.seconds)
    return {
        "source": source,
        "title": title(source),
        "options": msgspec.to_builtins(shipped.report.options),
        "state": State.DONE,
        "created": began,
        "started": began,
        "finished": shipped.finished,
        "shared": True,
        "expires": None,
    }
