"""Queues runs for the workers. Tasks are sent by name, so that the web server does not import the
worker."""

from functools import cache, partial

from celery import Celery
from django.db import transaction
from kombu.exceptions import OperationalError

from compiler_core import report
from webapp.runs import lifecycle
from webapp.runs.models import Run, State

TASK = "worker.explore"
QUEUES = report.DEVICES


_UNSENT = report.Failure(
    "queue", "The queue could not be reached.", remedy="Run it again.", by_service=True
)


class QueueUnreachable(Exception):
    """Redis did not accept the task. The run has been marked as failed."""


@cache
def producer() -> Celery:
    """The Celery application that sends tasks; one per process."""
    app = Celery("fuselab-web", set_as_current=False)
    app.config_from_object("django.conf:settings", namespace="CELERY")
    return app


def address(queue: str, toolchain: str) -> str:
    """Where the runs of a queue wait that name a toolchain, "" for none: only workers that have it
    take them."""
    return f"{queue}.{toolchain}" if toolchain else queue


def parts(place: str) -> tuple[str, str]:
    """The queue and the toolchain, "" for none, of an address."""
    kind, _, toolchain = place.partition(".")
    return kind, toolchain


def place(run: Run) -> str:
    """Where a run waits."""
    return address(run.queue, run.options.get("toolchain", ""))


def place_of(run_id: str) -> str:
    """Where the run with this id waits, "" if there is none: tasks of an earlier version do not say
    it."""
    run = Run.objects.filter(pk=run_id).only("queue", "options").first()
    return place(run) if run else ""


def enqueue(run: Run) -> None:
    """Sends the run's task when the transaction that created the run has been committed."""
    transaction.on_commit(partial(_send_new, run.pk, place(run)))


def send(run_id: str, place: str) -> None:
    """Sends the run's task, which has the run's id, and is a turn at its place (turns.py). Raises
    OperationalError."""
    producer().send_task(TASK, args=[run_id, place], task_id=run_id, queue=place)


def _send_new(run_id: str, place: str) -> None:
    try:
        send(run_id, place)
    except OperationalError as error:
        lifecycle.end(run_id, State.FAILED, _UNSENT)
        raise QueueUnreachable(str(error)) from error
