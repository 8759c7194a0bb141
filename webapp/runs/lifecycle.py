"""The states of a run, each change one conditional update, so that it happens once or not at all.

queued -> running -> done | failed | cancelled
queued -> failed | cancelled
running -> running: a killed worker's run, delivered again
"""

from functools import partial

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from compiler_core import report
from webapp.runs import events, frozen
from webapp.runs.announce import announce
from webapp.runs.models import FINAL, LIVE, Run, RunEvent, RunText, State


def start(run_id: str) -> Run | None:
    """The run, now running and without events; None if it has ended or was deleted."""
    with transaction.atomic():
        live = Run.objects.filter(pk=run_id, state__in=LIVE)
        now, form = timezone.now(), report.form()
        if not live.update(state=State.RUNNING, started=now, form=form, stored=0):
            return None
        RunEvent.objects.filter(run_id=run_id).delete()
        RunText.objects.filter(run_id=run_id).delete()
        transaction.on_commit(partial(announce, run_id))
    return Run.objects.filter(pk=run_id).first()


def finish(run_id: str, state: str, reason: report.Failure | None = None) -> bool:
    """Ends the run, freezes its report, and those of runs that somebody else has ended; False if it
    had ended before or was deleted. It is the worker's, for it decodes what a runner has sent.
    """
    ended = end(run_id, state, reason)
    for left in events.not_frozen():
        frozen.freeze(left, events.report_so_far(left))
    events.drop_frozen()
    return ended


def end(run_id: str, state: str, reason: report.Failure | None = None) -> bool:
    """Ends the run, whose report a worker will freeze; False if it had ended before or was deleted.

    `reason` becomes its last event: why it ended, where no worker could say so. No event can
    follow: `events.append` takes them for a running run only.
    """
    if state not in FINAL:
        raise ValueError(f"a run does not end {state!r}: choose one of {', '.join(FINAL)}")
    with transaction.atomic():
        live = Run.objects.filter(pk=run_id, state__in=LIVE)
        numbered = F("last_seq") + (1 if reason else 0)
        if not live.update(state=state, finished=timezone.now(), last_seq=numbered):
            return False
        if reason:
            events.store(run_id, [report.encode_event(report.SnippetFailed(reason))])
        transaction.on_commit(partial(announce, run_id))
    return True


def cancel(run_id: str) -> bool:
    """Ends the run at once with the events so far; its worker notices and stops."""
    return end(run_id, State.CANCELLED)


def cancel_requested(run_id: str) -> bool:
    """Whether a worker should stop: the run was cancelled or deleted. One look-up by key."""
    return not Run.objects.filter(pk=run_id, state__in=LIVE).exists()
