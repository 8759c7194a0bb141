"""A run of many processes that compute leaves others a processor.

Linux divides the processors among threads, whosever they are. Process 1 may not change how the
others come by one, for no process of a run may (scripts/seccomp_filters.py); the trusted side may.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from worker.sandbox.files import PROC, process_of, threads_of
from worker.sandbox.inside.processes import fields
from worker.sandbox.limits import cpus

# How often it is looked, in seconds, and the looks in a row at which there were too many.
_LOOK_S = 1.0
_LOOKS = 2
# Threads that compute at once, for each processor: torch and XLA each have as many as processors.
_MOST = 4
_LAST = 19


class Crowd:
    """The threads of one run: of too many that compute all come after those of others from then
    on, and so does whatever they start."""

    def __init__(self) -> None:
        self._looked, self._looks = time.monotonic(), 0

    def look(self, pidfd: int) -> None:
        """Looks at the processes below process 1, whose pidfd it is, if it is time to."""
        now = time.monotonic()
        if now < self._looked + _LOOK_S:
            return
        self._looked = now
        threads = [*_threads(process_of(pidfd))]
        crowded = sum(map(_computes, threads)) > _MOST * cpus()
        self._looks = self._looks + 1 if crowded else 0
        if self._looks >= _LOOKS:
            for each in threads:
                with contextlib.suppress(OSError):
                    os.setpriority(os.PRIO_PROCESS, int(each.name), _LAST)


def _threads(first: int) -> Iterator[Path]:
    """Those of all processes below this one."""
    below = [first]
    for pid in below:
        for each in threads_of(PROC / str(pid)):
            with contextlib.suppress(OSError):
                below += map(int, (each / "children").read_text().split())
            if pid != first:
                yield each


def _computes(thread: Path) -> bool:
    return fields(thread / "stat")[:1] == ["R"]
