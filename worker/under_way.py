"""The runs that a worker has, each in a thread of its own.

Who takes a run waits only until it has shown its first IR; then the next one may be taken.
"""

import contextlib
import logging
import threading
from collections.abc import Callable

from django.db import Error as DatabaseError
from django.db import connections

from webapp import logs
from webapp.runs import lifecycle
from webapp.runs.models import Run
from worker.places import Place

log = logging.getLogger(__name__)

# A worker that ends waits so long for its runs to be put back.
_FAREWELL_S = 10.0


class Stopping(Exception):
    """The worker is shutting down, or has lost its compiler before the run had begun: the run goes
    back to the queue."""


class UnderWay:
    """`sent_again` is told of a run that was put back after the one who took it had gone on."""

    def __init__(self, sent_again: Callable[[Run], None]) -> None:
        self._sent_again = sent_again
        self._attempts = set[lifecycle.Attempt]()
        self._unwanted = frozenset[lifecycle.Attempt]()
        self._threads = set[threading.Thread]()

    @property
    def ids(self) -> list[str]:
        """The ids of the runs under way."""
        return [run for run, _ in [*self._attempts]]

    def execute(self, run: Run, place: Place, what: Callable[[], None]) -> None:
        """Calls `what`, which executes the run at its place; returns once it begins no more. Raises
        Stopping if `what` did before that."""
        stopped = threading.Event()
        thread = threading.Thread(
            target=self._execute, args=(run, place, what, stopped), name=run.pk, daemon=True
        )
        self._threads.add(thread)
        self._attempts.add((run.pk, run.attempt))
        thread.start()
        place.left.wait()
        if stopped.is_set():
            raise Stopping

    def _execute(
        self, run: Run, place: Place, what: Callable[[], None], stopped: threading.Event
    ) -> None:
        try:
            with logs.during(run.pk):
                what()
        except Stopping:
            if place.left.is_set():
                self._sent_again(run)
            else:
                stopped.set()
        except Exception:
            # Its beats end, and another worker begins it again.
            log.exception("run %s was dropped", run.pk)
        finally:
            self._attempts.discard((run.pk, run.attempt))
            place.leave()
            connections.close_all()
            self._threads.discard(threading.current_thread())

    def is_unwanted(self, run: Run) -> bool:
        """Whether the run was cancelled, deleted or taken from this worker, as last looked."""
        return (run.pk, run.attempt) in self._unwanted

    def look(self) -> None:
        """Looks once for all runs which of them are no longer wanted."""
        with contextlib.suppress(DatabaseError):
            self._unwanted = lifecycle.unwanted([*self._attempts])

    def join(self) -> None:
        """Waits until all of them are over, but for those that take too long."""
        for thread in [*self._threads]:
            thread.join(_FAREWELL_S)
