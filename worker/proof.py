"""Whether this worker can do its work: a run has gone through it lately, if need be a tiny one."""

import logging
import time
from collections.abc import Callable

from django.conf import settings

from compiler_core import report
from webapp.runs import room

log = logging.getLogger(__name__)

EVERY_SECONDS = 20.0
# Who has done a run within so many seconds need not prove anything.
LATELY_S = 60.0
_NO_ROOM = f"there is less free disk than the {settings.DISK_FLOOR_MB:,} MiB that must be"


def failing(tried: report.Report) -> str:
    """What went wrong in a tiny run; "" if nothing did."""
    if tried.error is not None:
        return tried.error.message
    return "a tiny run failed" if report.failed(tried) else ""


class Proof:
    """`try_one` executes a tiny run and returns what went wrong, "" if nothing did. `doors` is told
    whether the worker takes runs, whenever that changes."""

    def __init__(self, try_one: Callable[[], str], doors: Callable[[bool], None]) -> None:
        self.problem = ""
        self._try_one, self._doors = try_one, doors
        self._open = True
        self._last: float | None = None

    @property
    def age_s(self) -> float | None:
        """Seconds since a run went through; None if none has."""
        return None if self._last is None else time.monotonic() - self._last

    def went_through(self) -> None:
        """A run has gone through."""
        self._last = time.monotonic()

    def look(self) -> None:
        """Looks whether the worker can do its work, and opens or closes its doors."""
        problem = self._problem()
        if problem and not self.problem:
            log.error("this worker takes no runs: %s", problem)
        self.problem = problem
        if self._open != (not problem):
            self._doors(not problem)
            self._open = not problem

    def _problem(self) -> str:
        if room.free_bytes() < settings.DISK_FLOOR_MB * room.MIB:
            return _NO_ROOM
        if self.age_s is not None and self.age_s < LATELY_S and not self.problem:
            return ""
        if problem := self._try_one():
            return problem
        self.went_through()
        return ""
