"""Holds the runs of the database against what there is: workers, and tasks in the queue.

The database is the truth. A worker that has a run raises the run's `beats` every few seconds; where
they no longer rise, the run waits again, once, and then fails with the reason. A run that waits and
has no task in the queue is sent again: a task that comes twice is done once (lifecycle.start).

Silence is counted in looks, not read from a clock, so that no clock that is set makes a run look
lost; and only in looks at which the database could be written, for where it cannot no worker can
say that it lives. Several processes may look at once.
"""

import logging
from collections.abc import Sequence

from django.db import Error as DatabaseError
from kombu.exceptions import OperationalError as QueueError
from redis.exceptions import RedisError

from compiler_core import report
from webapp.runs import lifecycle, pulse, queue, workers
from webapp.runs.models import Run, State

log = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
# Equal looks after which a running run has no owner: three heartbeats.
SILENT_LOOKS = 3
# Looks in a row in which a run that waits has no task: a task that was just taken is no lost one.
MISSING_LOOKS = 2
# How often a run may be begun again.
MOST_LOST = 1
_LOST = report.Failure(
    "worker",
    "The worker that had the run ended before the run did, and so did the next one.",
    remedy="Run it again; if that happens once more, the snippet may be what ends the worker: "
    "remove lines until it does not.",
    by_service=True,
)


class Reconciler:
    """What was seen at the last look. `look` is called every LOOK_SECONDS."""

    def __init__(self) -> None:
        # Of running runs: attempt, beats, and the equal looks so far. Of waiting ones: the looks
        # without a task.
        self._running: dict[str, tuple[int, int, int]] = {}
        self._missing: dict[str, int] = {}

    def look(self) -> None:
        """Looks once at all runs. Raises DatabaseError."""
        self._forget_where_nobody_could_write()
        self._look_at_running()
        try:
            self._look_at_waiting()
        except (RedisError, QueueError) as error:
            log.warning("the queue cannot be looked at: %s", error)

    def _forget_where_nobody_could_write(self) -> None:
        try:
            was_free = pulse.beat() < pulse.SLOW_S
        except DatabaseError:
            self._running.clear()
            raise
        if not was_free:
            self._running.clear()

    def _look_at_running(self) -> None:
        rows = Run.objects.filter(state=State.RUNNING).values_list("pk", "attempt", "beats")
        before, self._running = self._running, {}
        for run_id, attempt, beats in rows:
            old = before.get(run_id, (attempt, beats, 0))
            silent = old[2] + 1 if old[:2] == (attempt, beats) else 1
            self._running[run_id] = (attempt, beats, silent)
            if silent > SILENT_LOOKS:
                _take_back(run_id, attempt)

    def _look_at_waiting(self) -> None:
        waiting = Run.objects.filter(state=State.QUEUED).order_by("created")
        places: dict[str, list[str]] = {}
        for run in waiting.only("pk", "queue", "options"):
            places.setdefault(queue.place(run), []).append(run.pk)
        before = self._missing
        without = [(pk, place) for place, pks in places.items() for pk in _without_task(place, pks)]
        self._missing = {pk: before.get(pk, 0) + 1 for pk, _ in without}
        for run_id, place in without:
            if self._missing[run_id] >= MISSING_LOOKS:
                log.warning("run %s waits without a task: it is sent again", run_id)
                queue.send(run_id, place)
                del self._missing[run_id]


def _without_task(place: str, waiting: Sequence[str]) -> list[str]:
    """Those of the runs that wait there whose tasks have to be sent again, the oldest first: as
    many as there are fewer tasks than runs, for any task is a turn of whoever is next."""
    there = workers.tasks(place)
    own = set(there)
    return [pk for pk in waiting if pk not in own][: max(0, len(waiting) - len(there))]


def _take_back(run_id: str, attempt: int) -> None:
    """Takes a run from the worker that fell silent. Conditional: another process may have done
    it."""
    if lifecycle.wait_again(run_id, attempt, most_lost=MOST_LOST):
        log.warning("run %s has lost its worker: it waits again", run_id)
    elif lifecycle.end(run_id, State.FAILED, _LOST, attempt):
        log.warning("run %s has lost its worker again: it failed", run_id)
