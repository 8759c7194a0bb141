"""The events of a run: stored in order, read from any point, applied to its report.

Sequence numbers never go back, not even when a lost worker's run is begun again: then the earlier
delivery's events are gone and a `started` event with the next number begins the report afresh.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from itertools import chain
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Length
from django.utils import timezone

from compiler_core import report
from webapp.runs import pieces, texts
from webapp.runs.announce import announce
from webapp.runs.applied import apply_all
from webapp.runs.models import FINAL, Run, RunEvent, State, of_attempt

# A page is held until it is sent, for each who reads slowly; an event that is larger is read in
# pieces.
PAGE, PAGE_BYTES = 200, 2**17
# Rows that are read from the database at a time.
_FETCHED = 20
# Runs whose events are dropped at a time, and how long they are kept after their run has ended.
DROPPED = 20
KEPT_FOR = timedelta(minutes=1)
# What is told of a wait is shorter.
_WAIT_BYTES = 1000
# What a run may take until it ends: its events are plain, and gone when its report is frozen.
MOST_BYTES = 2 * texts.MOST_BYTES


class Beginning(NamedTuple):
    """Events as they are stored, the number of the last, and whether there is none after it."""

    payloads: list[bytes]
    seq: int
    is_all: bool


class TooMuch(Exception):
    """A run sent more events than may be stored."""


def append(run_id: str, batch: Sequence[report.Event], attempt: int | None = None) -> int:
    """Stores `batch` with the next sequence numbers and notifies the run's watchers; returns the
    last number.

    Events of a run that is not running, or no longer at this `attempt` (None: at whichever), are
    dropped: a cancelled run's worker may still send some, and one that was taken for dead. Raises
    TooMuch.
    """
    running = of_attempt(Run.objects.filter(pk=run_id, state=State.RUNNING), attempt)
    if not batch or not running.exists():
        return last_seq(run_id)
    kept = texts.apart(run_id, batch)
    payloads = [report.encode_event(event) for event in kept.events]
    size = kept.bytes + sum(map(len, payloads))
    with transaction.atomic():
        fits = running.filter(stored__lte=MOST_BYTES - size)
        if fits.update(last_seq=F("last_seq") + len(payloads), stored=F("stored") + size):
            texts.store(kept.new)
            store(run_id, payloads)
            transaction.on_commit(partial(announce, run_id))
        elif running.exists():
            raise TooMuch
        return last_seq(run_id)


def store(run_id: str, payloads: Sequence[bytes]) -> None:
    """Writes events, as JSON, with sequence numbers that have been allocated, as the run's last
    ones."""
    first = last_seq(run_id) - len(payloads) + 1
    RunEvent.objects.bulk_create(
        RunEvent(run_id=run_id, seq=seq, payload=payload)
        for seq, payload in enumerate(payloads, first)
    )


def waits_for(running: Collection[str]) -> dict[str, str]:
    """What those of these runs wait for, by their ids, of which that was told last."""
    last = RunEvent.objects.filter(run__in=running, seq=F("run__last_seq"))
    small = last.annotate(size=Length("payload")).filter(size__lt=_WAIT_BYTES)
    last_events = {
        run: report.decode_event(bytes(e)) for run, e in small.values_list("run", "payload")
    }
    return {
        run: event.detail
        for run, event in last_events.items()
        if isinstance(event, report.StageBegan) and event.name == report.ITS_TURN
    }


def not_frozen() -> list[str]:
    """Runs that have ended with events that no stored report includes yet."""
    ended = RunEvent.objects.filter(run__state__in=FINAL, run__report=b"")
    return list(ended.values_list("run_id", flat=True).distinct()[:DROPPED])


def drop_frozen() -> None:
    """Deletes the events of runs that ended a while ago: their stored reports include them, and
    watchers have had time to reconnect."""
    ended = RunEvent.objects.filter(run__finished__lte=timezone.now() - KEPT_FOR)
    ids = ended.exclude(run__report=b"").values_list("run_id", flat=True).distinct()[:DROPPED]
    RunEvent.objects.filter(run_id__in=list(ids)).delete()


def last_seq(run_id: str) -> int:
    """The number of the last event; 0 before the first, and for a deleted run."""
    return Run.objects.filter(pk=run_id).values_list("last_seq", flat=True).first() or 0


def after(run_id: str, seq: int, limit: int = PAGE) -> list[tuple[int, bytes]]:
    """At most `limit` events with numbers above `seq`, in order, and no more of them than
    PAGE_BYTES or one."""
    rows = RunEvent.objects.filter(run_id=run_id, seq__gt=seq).order_by("seq")[:limit]
    return list(_within(PAGE_BYTES, rows))


def large(run_id: str, seq: int) -> tuple[int, int] | None:
    """The number and the bytes of the event after `seq`, if it is larger than a page."""
    rows = RunEvent.objects.filter(run_id=run_id, seq__gt=seq).order_by("seq")
    found = rows.annotate(size=Length("payload")).values_list("seq", "size").first()
    return found if found and found[1] > PAGE_BYTES else None


def part(run_id: str, seq: int, at: range) -> bytes:
    """So much of the JSON of one event, or less at its end. Raises RunEvent.DoesNotExist."""
    return pieces.part(RunEvent.objects.filter(run_id=run_id, seq=seq), "payload", at)


def _within(most: int, rows: QuerySet[RunEvent]) -> Iterator[tuple[int, bytes]]:
    """Numbers and payloads until there are `most` bytes of them, one at least."""
    size = 0
    for number, payload in rows.values_list("seq", "payload").iterator(_FETCHED):
        size += len(payload)
        if size > most and size > len(payload):
            return
        yield number, bytes(payload)


def why_ended(run_id: str) -> list[report.Event]:
    """The last event, if it says why the run failed."""
    last = RunEvent.objects.filter(run_id=run_id).order_by("-seq")
    for payload in last.values_list("payload", flat=True)[:1]:
        event = report.decode_event(payload)
        return [event] if isinstance(event, report.SnippetFailed) else []
    return []


def report_so_far(run_id: str, then: Iterable[report.Event] = ()) -> report.Report:
    """The report of the events stored so far, and of those that come `then`."""
    rows = RunEvent.objects.filter(run_id=run_id).order_by("seq")
    stored = (report.decode_event(payload) for _, payload in _within(2 * MOST_BYTES, rows))
    return apply_all(chain(stored, then))


def beginning(run_id: str, most: int) -> Beginning:
    """The first `most` bytes of the events stored so far."""
    rows = RunEvent.objects.filter(run_id=run_id).order_by("seq")
    found = list(_within(most, rows))
    last = found[-1][0] if found else 0
    payloads = [payload for _, payload in found]
    return Beginning(payloads, last, not rows.filter(seq__gt=last).exists())
