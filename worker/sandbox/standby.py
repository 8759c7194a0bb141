"""One runner forked in advance, so that a run does not wait for the fork of a large process.

It shares the server's memory pages until it writes to them, and costs a few megabytes.
"""

import select
import threading
from collections.abc import Callable

from worker.sandbox.files import Files
from worker.sandbox.limits import Limits

Begin = Callable[[Limits], Files | None]


class StandbyRunner:
    """At most one runner, forked for `limits`; none if these are None."""

    def __init__(self, limits: Limits | None) -> None:
        self._limits = limits
        self._files: Files | None = None
        self._lock = threading.Lock()

    def take(self, limits: Limits) -> Files | None:
        """The runner's files, if one is alive and was forked for these limits; else None."""
        with self._lock:
            files = self._files
            if files is None or limits != self._limits:
                return None
            self._files = None
        if _alive(files):
            return files
        files.close()
        return None

    def refill(self, begin: Begin) -> None:
        """Forks a runner by `begin` if there is none."""
        with self._lock:
            if self._limits is not None and self._files is None:
                self._files = begin(self._limits)

    def drop(self) -> None:
        """Closes the runner's files, which ends it."""
        with self._lock:
            if self._files is not None:
                self._files.close()
                self._files = None


def _alive(files: Files) -> bool:
    poller = select.poll()
    poller.register(files.status, select.POLLHUP)
    return not poller.poll(0)
