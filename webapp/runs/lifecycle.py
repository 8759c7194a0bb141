"""The states of a run, each change one conditional update, so that it happens once or not at all.

queued -> running -> done | failed | cancelled
queued -> failed | cancelled
running -> queued: a run whose worker ended, or fell silent

Each start is an `attempt` with a number. A worker says which one it means: one that was taken for
dead and goes on changes nothing any more.
"""

from collections.abc import Collection, Iterable
from functools import partial
from statistics import fmean

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from compiler_core import report
from webapp.runs import events, frozen
from webapp.runs.announce import announce
from webapp.runs.models import FINAL, LIVE, Run, RunEvent, RunText, State, of_attempt

# How long runs take is the mean of so many.
_LATEST = 20
# The id of a run, and the number of a start of it.
Attempt = tuple[str, int]


def start(run_id: str, worker: str = "") -> Run | None:
    """The run, now running, without events, and owned by the worker with this id; None if it does
    not wait: it has ended, was deleted, or another worker has it."""
    with transaction.atomic():
        waits = Run.objects.filter(pk=run_id, state=State.QUEUED)
        now, form = timezone.now(), report.form()
        own = {"worker": worker, "attempt": F("attempt") + 1, "beats": 0}
        if not waits.update(state=State.RUNNING, started=now, form=form, stored=0, **own):
            return None
        RunEvent.objects.filter(run_id=run_id).delete()
        RunText.objects.filter(run_id=run_id).delete()
        transaction.on_commit(partial(announce, run_id))
    return Run.objects.filter(pk=run_id).first()


def took_lately_s() -> float:
    """Seconds from the beginning to the end of the newest runs that are done, in the mean; 0 where
    there is none."""
    done = Run.objects.filter(state=State.DONE, started__isnull=False, finished__isnull=False)
    stamps = done.order_by("-created").values_list("started", "finished")[:_LATEST]
    took = [max(0.0, (finished - started).total_seconds()) for started, finished in stamps]
    return fmean(took) if took else 0.0


def beat(worker: str, run_ids: Iterable[str]) -> None:
    """Says that the worker with this id still has these runs."""
    if ids := list(run_ids):
        owned = Run.objects.filter(pk__in=ids, worker=worker, state=State.RUNNING)
        owned.update(beats=F("beats") + 1)


def wait_again(run_id: str, attempt: int, *, most_lost: int | None = None) -> bool:
    """Puts a running run back; False if that attempt is not running. `most_lost`: it has lost its
    worker, which may happen so often; None where its worker gives it back."""
    running = Run.objects.filter(pk=run_id, state=State.RUNNING, attempt=attempt)
    lost = 0 if most_lost is None else 1
    if most_lost is not None:
        running = running.filter(lost__lt=most_lost)
    if not running.update(state=State.QUEUED, worker="", lost=F("lost") + lost):
        return False
    announce(run_id)
    return True


def finish(
    run_id: str, state: str, reason: report.Failure | None = None, attempt: int | None = None
) -> bool:
    """Ends the run with its report stored: nobody sees the one without the other. Stores the
    reports of other runs that ended without one. False if the run had ended before or was deleted.
    Only workers call it, since it decodes what a runner has sent."""
    whole = None
    if _live(run_id, attempt).exists():
        last = [report.SnippetFailed(reason)] if reason else []
        whole = frozen.result(run_id, events.report_so_far(run_id, last))
    ended = end(run_id, state, reason, attempt, whole)
    freeze_left()
    return ended


def freeze_left() -> None:
    """Stores the reports of runs that were ended without one, by who asked for them or because
    their worker was lost. Only workers call it."""
    for left in events.not_frozen():
        frozen.freeze(left, events.report_so_far(left))
    events.drop_frozen()


def end(
    run_id: str,
    state: str,
    reason: report.Failure | None = None,
    attempt: int | None = None,
    whole: frozen.Frozen | None = None,
) -> bool:
    """Ends the run, with its report (None: a worker will store it); False if it had ended before or
    was deleted, or is no longer at this `attempt` (None: at whichever).

    `reason` becomes its last event: why it ended, where no worker could say so. No event can
    follow, since `events.append` accepts them for running runs only."""
    if state not in FINAL:
        raise ValueError(f"a run does not end {state!r}: choose one of {', '.join(FINAL)}")
    with transaction.atomic():
        numbered = F("last_seq") + (1 if reason else 0)
        over = {"state": state, "finished": timezone.now(), "last_seq": numbered}
        if not _live(run_id, attempt).update(**over):
            return False
        if reason:
            events.store(run_id, [report.encode_event(report.SnippetFailed(reason))])
        if whole:
            whole.write()
        transaction.on_commit(partial(announce, run_id))
    return True


def _live(run_id: str, attempt: int | None) -> QuerySet[Run]:
    return of_attempt(Run.objects.filter(pk=run_id, state__in=LIVE), attempt)


def cancel(run_id: str) -> bool:
    """Ends the run at once with the events so far; its worker notices and stops."""
    return end(run_id, State.CANCELLED)


def unwanted(attempts: Collection[Attempt]) -> frozenset[Attempt]:
    """The attempts that a worker should stop because the run was cancelled, deleted or taken from
    it. One query."""
    if not attempts:
        return frozenset()
    running = Run.objects.filter(pk__in=[run for run, _ in attempts], state=State.RUNNING)
    return frozenset(attempts).difference(running.values_list("pk", "attempt"))
