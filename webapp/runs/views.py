"""What the API shows of a run."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from compiler_core import report
from webapp.runs import artifacts as addresses
from webapp.runs import events, frozen, texts
from webapp.runs.models import Run, RunArtifact
from webapp.runs.wire import ArtifactEntry, RunView


class Named(NamedTuple):
    """A text of a run with its name and language, as it is sent."""

    name: str
    language: str
    text: str


def view(run: Run, mine: bool, with_texts: bool) -> RunView:
    """The run as the API shows it; `mine`: the request came from its owner."""
    return RunView(
        id=run.pk,
        url=run.url,
        state=run.state,
        seq=run.last_seq,
        created=run.created,
        started=run.started,
        finished=run.finished,
        seconds=run.seconds,
        expires=run.expires,
        shared=run.shared,
        mine=mine,
        source=run.source,
        options=msgspec.convert(run.options, report.Options),
        report=msgspec.Raw(report_json(run, with_texts)),
    )


def report_json(run: Run, with_texts: bool) -> bytes:
    """The stored report of a run that has ended, else the report so far, always of the current
    schema; with all its texts, or only with those that are not stored separately."""
    raw = frozen.read(run) if run.report else _so_far(run)
    return report.with_texts(raw, texts.of_run(run.pk)) if with_texts else raw


def _so_far(run: Run) -> bytes:
    return report.encode_report(events.report_so_far(run.pk))


def artifacts(run: Run) -> Sequence[msgspec.Raw | ArtifactEntry]:
    """The list of the run's texts so far, with their addresses."""
    listed = RunArtifact.objects.filter(run=run).order_by("place").values_list("entry", flat=True)
    return [msgspec.Raw(entry) for entry in listed] or addresses.entries(run.pk, _report(run))


def artifact(run: Run, path: str) -> Named | None:
    """The text at an address; None if there is none."""
    row = RunArtifact.objects.filter(run=run, path=path).first()
    if row and row.sha256:
        entry = msgspec.json.decode(row.entry, type=ArtifactEntry)
        return Named(entry.name, entry.language, texts.read(run.pk, row.sha256))
    found = addresses.find(_report(run), path)
    if found is None:
        return None
    is_apart = found.stored is not None and not found.text
    text = texts.read(run.pk, found.stored.sha256) if is_apart else found.text
    return Named(found.name, found.language, text)


def comparison(a: Run, b: Run) -> report.Comparison:
    """What the reports of two runs say of the same things, as far as they are."""
    return report.compared(_report(a), _report(b))


def _report(run: Run) -> report.Report:
    """The report without those of its texts that are kept apart from it."""
    return report.decode_report(report_json(run, with_texts=False))
