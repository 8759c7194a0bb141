"""What the API shows of a run."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from compiler_core import report
from webapp.runs import artifacts as addresses
from webapp.runs import events, frozen, texts, turns
from webapp.runs.models import Run, RunArtifact, RunAsk
from webapp.runs.wire import ArtifactEntry, OwnRun, RunView

# What is read at a time of the events of a run that goes on.
MOST_LIVE_BYTES = 4 * 2**20
_BEGINNING = (
    f"This is the beginning of the run, its first {MOST_LIVE_BYTES >> 20} MiB. Follow its events, "
    "or come again when it has ended."
)


class Named(NamedTuple):
    """A text of a run with its name and language, as it is sent."""

    name: str
    language: str
    text: str


def view(run: Run, mine: bool, with_texts: bool) -> RunView:
    """The run as the API shows it; `mine`: the request came from its owner."""
    ahead = turns.ahead(run)
    raw, seq = (frozen.read(run), run.last_seq) if run.report else _so_far(run)
    return RunView(
        id=run.pk,
        url=run.url,
        state=run.state,
        seq=seq,
        created=run.created,
        started=run.started,
        finished=run.finished,
        seconds=run.seconds,
        ahead=ahead.runs if ahead else None,
        wait_s=ahead.seconds if ahead else None,
        expires=run.expires,
        shared=run.shared,
        mine=mine,
        source=run.source,
        options=msgspec.convert(run.options, report.Options),
        report=msgspec.Raw(report.with_texts(raw, texts.of_run(run.pk)) if with_texts else raw),
    )


def _so_far(run: Run) -> tuple[bytes, int]:
    """The report of a run that has none yet, or of its beginning, and the number of the last event
    in it. What a stranger's run says is decoded here: no more than takes a moment."""
    found = events.beginning(run.pk, MOST_LIVE_BYTES)
    if not found.is_all:
        found.report.notices.append(report.Notice("info", _BEGINNING))
    seq = max(found.seq, run.last_seq) if found.is_all else found.seq
    return report.encode_report(found.report), seq


def own(ask: RunAsk) -> OwnRun:
    """An entry of the list of whoever asked."""
    run = ask.run
    name = ask.name or run.title or "A snippet"
    return OwnRun(run.pk, run.url, name, run.state, run.created, run.shared, run.verdict)


def artifacts(run: Run) -> Sequence[msgspec.Raw | ArtifactEntry]:
    """The list of the run's texts so far, with their addresses."""
    listed = RunArtifact.objects.filter(run=run).order_by("place").values_list("entry", flat=True)
    return [msgspec.Raw(entry) for entry in listed] or addresses.entries(run.pk, whole(run))


def artifact(run: Run, path: str) -> Named | None:
    """The text at an address; None if there is none."""
    row = RunArtifact.objects.filter(run=run, path=path).first()
    if row and row.sha256:
        entry = msgspec.json.decode(row.entry, type=ArtifactEntry)
        return Named(entry.name, entry.language, texts.read(run.pk, row.sha256))
    is_listed = row is not None or not RunArtifact.objects.filter(run=run).exists()
    found = addresses.find(whole(run), path) if is_listed else None
    if found is None:
        return None
    apart = None if found.text else found.stored
    text = texts.read(run.pk, apart.sha256) if apart else found.text
    return Named(found.name, found.language, text)


def comparison(a: Run, b: Run) -> report.Comparison:
    """What the reports of two runs say of the same things, as far as they are."""
    return report.compared(whole(a), whole(b))


def whole(run: Run) -> report.Report:
    """The run's report so far, without those of its texts that are kept apart from it."""
    return report.decode_report(frozen.read(run) if run.report else _so_far(run)[0])
