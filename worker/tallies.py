"""What Prometheus is told of the runs of this worker."""

from collections.abc import Iterable

from django.utils import timezone

from compiler_core.report import Event, StageDone
from webapp import metrics
from webapp.runs.models import Run
from worker.sandbox.session import Session

# Kinds of stages are told apart as the compiler names them; whatever else a runner says is "other".
_KINDS = {
    "capture",
    "pass",
    "fuse",
    "schedule",
    "codegen",
    "compile",
    "reference",
    "insides",
    "numerics",
    "measure",
    "timeline",
    "trials",
}


def begun(run: Run) -> None:
    """Counts a run that was taken, and how long it waited."""
    metrics.count("fuselab_under_way")
    if run.started:
        waited = (run.started - run.created).total_seconds()
        metrics.observe("fuselab_wait_seconds", waited, queue=run.queue)


def said(batch: Iterable[Event]) -> None:
    """Counts the stages among the events, and their durations."""
    for stage in (event.stage for event in batch if isinstance(event, StageDone)):
        kind = stage.kind if stage.kind in _KINDS else "other"
        metrics.observe("fuselab_stage_seconds", stage.ms / 1e3, kind=kind)


def over(session: Session) -> None:
    """Counts what a run has sent, and what ended it from outside."""
    metrics.count("fuselab_received_bytes_total", session.received)
    if session.ended_by:
        metrics.count("fuselab_ended_by_total", by=session.ended_by)


def ended(run: Run, state: str) -> float:
    """The run is stored; returns how many seconds it took."""
    # No less than nothing, where the clock was set back meanwhile.
    took = max(0.0, (timezone.now() - (run.started or run.created)).total_seconds())
    metrics.count("fuselab_under_way", -1)
    metrics.observe("fuselab_run_seconds", took, queue=run.queue, state=state)
    return took
