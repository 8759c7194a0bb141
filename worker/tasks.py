"""The one Celery task; its argument is a run's id."""

from celery import shared_task
from celery.exceptions import Reject

from webapp.runs.queue import TASK
from worker import running
from worker.service import Stopping


@shared_task(name=TASK)
def explore(run_id: str) -> None:
    """Executes the run with this id. Idempotent: delivered again, it does nothing."""
    try:
        running.service().take(run_id)
    except Stopping:
        raise Reject("the worker ends", requeue=True) from None
