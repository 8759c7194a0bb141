"""What the API shows of a run."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import msgspec
from msgspec import structs

from compiler_core import report
from webapp.apart import asking as apart
from webapp.errors import Refusal
from webapp.runs import artifacts as addresses
from webapp.runs import comparing, events, frozen, live, texts, turns
from webapp.runs import stored as stored_report
from webapp.runs.applied import applied
from webapp.runs.models import FINAL, Run, RunArtifact, RunAsk
from webapp.runs.wire import ArtifactEntry, OwnRun, RunView

# What is read at a time of the events of a run that goes on, and of that what is decoded here: what
# a stranger's run says takes a quarter of a second a MiB, in which few others are answered.
MOST_LIVE_BYTES, MOST_APPLIED_BYTES = 4 * 2**20, 2**20
_BEGINNING = f"This is the beginning of the run, its first {MOST_LIVE_BYTES >> 20} MiB. "
# Entries of a list that are read at a time.
_PAGE = 50
_GOES_ON = f"{_BEGINNING}Follow its events, or come again when it has ended."
_OVER = f"{_BEGINNING}It has ended, and the rest is here in a moment: come again."

# A report of an earlier form is brought into today's here where it is small, else in a process
# apart, which takes a fifth of a second to begin.
MOST_DECODED_BYTES = 2**18
# Of each of two reports, without their texts: that of the largest model measured is a fifth of it.
MOST_COMPARED_BYTES = 8 * 2**20
_TOO_LARGE = Refusal(
    422,
    f"A report of more than {MOST_COMPARED_BYTES >> 20} MiB is not compared.",
    "Compare runs of fewer programs or compilers, or use `compare` on the command line.",
    "id",
)


_live = live.known_reports()


class Named(NamedTuple):
    """A text of a run with its name and language, as it is sent: the pieces of its text, from the
    beginning each time."""

    name: str
    language: str
    parts: Callable[[], Iterator[bytes]]


def view(run: Run, mine: bool) -> RunView:
    """The run as the API shows it, without the texts that are kept apart; `mine`: the request came
    from its owner."""
    raw, seq = (_frozen(run), run.last_seq) if run.report else _so_far(run)
    return structs.replace(head(run, mine), seq=seq, report=msgspec.Raw(raw))


def known_live(run: Run) -> live.Known | None:
    """What was last decoded of a run that goes on; None if nothing was."""
    return _live.get(run.pk)


def live_view(run: Run, mine: bool, known: live.Known | None = None) -> RunView:
    """`view` of a run that has no report yet: as it was `known`, else decoded now."""
    if known is None:
        at = live.moment(run)
        known = live.Known(*_so_far(run), at)
        _live.put(run.pk, known)
    return structs.replace(head(run, mine), seq=known.seq, report=msgspec.Raw(known.raw))


def _frozen(run: Run) -> bytes:
    """The stored report in today's form. Raises Refused."""
    if run.form == report.form() or frozen.plain_bytes(run) <= MOST_DECODED_BYTES:
        return frozen.read(run)
    return apart.done(stored_report.current, bytes(run.report))


def head(run: Run, mine: bool) -> RunView:
    """The same of a run that has ended, without its report."""
    ahead = turns.ahead(run)
    return RunView(
        id=run.pk,
        url=run.url,
        state=run.state,
        seq=run.last_seq,
        created=run.created,
        started=run.started,
        finished=run.finished,
        seconds=run.seconds,
        ahead=ahead.runs if ahead else None,
        wait_s=ahead.seconds if ahead else None,
        waits_for=ahead.waits_for if ahead else "",
        expires=run.expires,
        shared=run.shared,
        mine=mine,
        source=run.source,
        options=msgspec.convert(run.options, report.Options),
        report=msgspec.Raw(b"null"),
    )


def _so_far(run: Run) -> tuple[bytes, int]:
    """The report of a run that has none yet, or of its beginning, and the number of the last event
    in it. Raises Refused."""
    is_over = run.state in FINAL
    found = events.beginning(run.pk, MOST_LIVE_BYTES)
    then = events.why_ended(run.pk) if is_over else []
    if not found.is_all:
        said = report.Notice("info", _OVER if is_over else _GOES_ON, by_service=True)
        then = [*then, report.Noticed(said)]
    payloads = [*found.payloads, *map(report.encode_event, then)]
    is_small = sum(map(len, payloads)) <= MOST_APPLIED_BYTES
    raw = applied(*payloads) if is_small else apart.done(applied, *payloads)
    return raw, max(found.seq, run.last_seq) if found.is_all else found.seq


def own(ask: RunAsk) -> OwnRun:
    """An entry of the list of whoever asked."""
    run = ask.run
    name = ask.name or run.title or "A snippet"
    return OwnRun(run.pk, run.url, name, run.state, run.created, run.shared, run.verdict)


def artifacts(run: Run) -> Iterator[msgspec.Raw | ArtifactEntry]:
    """The list of the run's texts so far, with their addresses; of one that has ended each entry is
    read when it is wanted."""
    if not is_listed(run):
        return iter(addresses.entries(run.pk, whole(run)))
    return map(msgspec.Raw, _rows(run))


def _rows(run: Run) -> Iterator[bytes]:
    rows = RunArtifact.objects.filter(run=run).order_by("place")
    last = -1
    while page := list(rows.filter(place__gt=last).values_list("place", "entry")[:_PAGE]):
        yield from (entry for _, entry in page)
        last, _ = page[-1]


def is_listed(run: Run) -> bool:
    """Whether its texts are listed in rows: of every run that has ended, but for those of a version
    that had none."""
    return bool(run.form) and Run.objects.filter(pk=run.pk).exclude(report=b"").exists()


def artifact(run: Run, path: str) -> Named | None:
    """The text at an address; None if there is none."""
    if not addresses.is_path(path):
        return None
    if not is_listed(run):
        return _looked_up(run, path)
    row = RunArtifact.objects.filter(run=run, path=path).first()
    if row is None:
        return None
    entry = msgspec.json.decode(row.entry, type=ArtifactEntry)
    instead = texts.LEFT_OUT if entry.bytes else ""
    return Named(entry.name, entry.language, _parts(run, row.sha256, instead))


def _looked_up(run: Run, path: str) -> Named | None:
    found = addresses.find(whole(run), path)
    if found is None:
        return None
    sha256 = found.stored.sha256 if found.stored and not found.text else ""
    return Named(found.name, found.language, _parts(run, sha256, found.text))


def _parts(run: Run, sha256: str, instead: str) -> Callable[[], Iterator[bytes]]:
    """The text with this hash; of none another."""
    if sha256:
        return partial(texts.read, run.pk, sha256)
    return lambda: iter([instead.encode()])


def decoded_bytes(run: Run) -> int:
    """How much `whole` has to decode."""
    return frozen.plain_bytes(run) if run.report else min(run.stored, MOST_LIVE_BYTES)


def comparison(a: Run, b: Run) -> bytes | Refusal:
    """The JSON of what the reports of two runs say of the same things, as far as they are; why they
    are not compared where that would take too much. Raises Refused."""
    if max(decoded_bytes(a), decoded_bytes(b)) > MOST_COMPARED_BYTES:
        return _TOO_LARGE
    return apart.done(comparing.compared, stored(a), stored(b))


def stored(run: Run) -> bytes:
    """The run's report so far as it is stored, for a process apart to decode."""
    return bytes(run.report) or _so_far(run)[0]


def whole(run: Run) -> report.Report:
    """The run's report so far, without those of its texts that are kept apart from it."""
    return report.decode_report(frozen.read(run) if run.report else _so_far(run)[0])
