"""The events of a run: stored in order, read from any point, applied to its report.

Sequence numbers never go back, not even when a lost worker's run is begun again: then the earlier
delivery's events are gone and a `started` event with the next number begins the report afresh.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from django.db import transaction
from django.db.models import F

from compiler_core import report
from webapp.runs.announce import announce
from webapp.runs.models import Run, RunEvent, State

PAGE = 200
_LOST = "An event that made no sense at its place was left out of this report."


def append(run_id: str, batch: Sequence[report.Event]) -> int:
    """Stores `batch` with the next sequence numbers and notifies the run's watchers; returns the
    last number.

    Events of a run that is not running are dropped: a cancelled run's worker may still send some.
    """
    with transaction.atomic():
        running = Run.objects.filter(pk=run_id, state=State.RUNNING)
        if running.update(last_seq=F("last_seq") + len(batch)) and batch:
            store(run_id, batch)
            transaction.on_commit(partial(announce, run_id))
        return last_seq(run_id)


def store(run_id: str, batch: Sequence[report.Event]) -> None:
    """Writes `batch`, whose numbers have been allotted already, as the run's last events."""
    first = last_seq(run_id) - len(batch) + 1
    RunEvent.objects.bulk_create(
        RunEvent(run_id=run_id, seq=seq, payload=report.encode_event(event))
        for seq, event in enumerate(batch, first)
    )


def last_seq(run_id: str) -> int:
    """The number of the last event; 0 before the first, and for a deleted run."""
    return Run.objects.filter(pk=run_id).values_list("last_seq", flat=True).first() or 0


def after(run_id: str, seq: int, limit: int = PAGE) -> list[tuple[int, bytes]]:
    """At most `limit` events with numbers above `seq`, in order."""
    rows = RunEvent.objects.filter(run_id=run_id, seq__gt=seq).order_by("seq")[:limit]
    return [(number, bytes(payload)) for number, payload in rows.values_list("seq", "payload")]


def report_so_far(run_id: str) -> report.Report:
    """The report of the events stored so far."""
    rows = RunEvent.objects.filter(run_id=run_id).order_by("seq")
    payloads = rows.values_list("payload", flat=True).iterator()
    return apply_all(report.decode_event(bytes(payload)) for payload in payloads)


def apply_all(stream: Iterable[report.Event]) -> report.Report:
    """The report that the events make, applied one after the other. Events that do not fit, which a
    hostile runner may send, are left out with a notice."""
    whole = report.Report()
    lost = False
    for event in stream:
        try:
            report.apply(whole, event)
        except IndexError:
            lost = True
    if lost:
        whole.notices.append(report.Notice("error", _LOST))
    return whole
