"""The one Celery task; its argument is a run's id."""

from celery import shared_task
from celery.exceptions import Reject

from webapp.runs import lifecycle
from webapp.runs.queue import TASK
from worker import running
from worker.service import Stopping


@shared_task(name=TASK)
def explore(run_id: str) -> None:
    """Executes the run with this id. Idempotent: delivered again, it does nothing, or restarts the
    run of a worker that has died."""
    run = lifecycle.start(run_id)
    if run is None:
        return
    try:
        lifecycle.finish(run_id, running.service().explore(run))
    except Stopping:
        raise Reject("the worker ends", requeue=True) from None
