"""Begins the run whose turn it is, where there is a place for it."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar

from webapp.runs import turns
from webapp.runs.models import Run
from worker import waiting
from worker.places import Place, Places

T = TypeVar("T")


class Stored(Protocol):
    """Does what needs the database, again and again until that is there."""

    def __call__(self, what: Callable[[], T]) -> T: ...


class Beginning:
    """Of the worker with the id that `me` says."""

    def __init__(self, places: Places, me: Callable[[], str], stored: Stored) -> None:
        self._places, self._me, self._stored = places, me, stored
        # Of two turns that come at once each sees what the other has taken.
        self._lock = threading.Lock()

    def next(self, at: str) -> tuple[Run, Place] | None:
        """The run whose turn it is there, and its place; None where none may begin."""
        with self._lock:
            unseen = self._places.open_to_unseen()
            run = self._stored(partial(turns.begin_next, at, self._me(), unseen=unseen))
            return run and (run, self._places.take(run.pk, run.owner, unseen=not run.address))

    def is_kept_back(self, at: str) -> bool:
        """Whether one waits there that leaves its place to whoever comes."""
        return not self._places.open_to_unseen() and waiting.count((at,)) > 0
