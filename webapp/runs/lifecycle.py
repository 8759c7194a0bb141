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
    """Ends the run and stores its report, and the reports of other runs that ended without one.
    False if the run had ended before or was deleted. Only workers call it, since it decodes what a
    runner has sent."""
    ended = end(run_id, state, reason)
    for left in events.not_frozen():
        frozen.freeze(left, events.report_so_far(left))
    events.drop_frozen()
    return ended


def end(run_id: str, state: str, reason: report.Failure | None = None) -> bool:
    """Ends the run, whose report a worker will store; False if it had ended before or was deleted.

    `reason` becomes its last event: why it ended, where no worker could say so. No event can
    follow, since `events.append` accepts them for running runs only."""
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
    """Whether a worker should stop because the run was cancelled or deleted. One lookup by key."""
    return not Run.objects.filter(pk=run_id, state__in=LIVE).exists()
