"""What the queue holds: ids of runs."""

from celery import shared_task
from celery.exceptions import Reject

from webapp.runs import lifecycle
from webapp.runs.queue import TASK
from worker import running
from worker.service import Stopping


@shared_task(name=TASK)
def explore(run_id: str) -> None:
    """Delivered twice, it does nothing the second time, or begins a killed worker's run anew."""
    run = lifecycle.start(run_id)
    if run is None:
        return
    try:
        lifecycle.finish(run_id, running.service().explore(run))
    except Stopping:
        raise Reject("the worker ends", requeue=True) from None
