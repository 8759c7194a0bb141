"""The one Celery task: a turn at the place where a run waits."""

from celery import shared_task
from celery.exceptions import Reject

from webapp.runs.queue import TASK
from worker import running
from worker.under_way import Stopping


@shared_task(name=TASK)
def explore(run_id: str, place: str = "") -> None:
    """Begins the run whose turn it is at `place`, where the one with this id was queued.
    Idempotent: delivered again, it does nothing if none waits."""
    try:
        running.service().take(run_id, place)
    except Stopping:
        raise Reject("the worker ends", requeue=True) from None
