"""A run of many processes that compute leaves others a processor.

Linux divides the processors among threads, whosever they are. Process 1 may not change how the
others come by one, for no process of a run may (scripts/seccomp_filters.py); the trusted side may.
"""

import contextlib
import enum
import os
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from worker.sandbox.files import PROC, process_of, threads_of
from worker.sandbox.inside.processes import fields
from worker.sandbox.limits import cpus

# How often it is looked, in seconds, and the looks in a row at which there were too many.
_LOOK_S = 0.25
_LOOKS = 4
# Threads that compute at once, for each processor: torch and XLA each have as many as processors.
_MOST = 4
# Of so many the weights of all threads together are still less than that of one of another run.
_MANY = 16
_LAST = 19
# How the session of a crowd yields, where it has a share of its own: less than others, and enough
# for whoever is many by mistake.
SESSION = 10
# Whoever begins another and ends, again and again, would be looked at for ever.
_MOST_LOOKED_AT = 1000
# Gone, or ended and waiting to be taken note of.
_OVER = ("Z", "X", "")
# Of all time at most one part in so many goes to looking.
_RARELY = 20


class Found(enum.Enum):
    """What a look found: nothing new, a crowd, or more processes than there may be."""

    NOTHING = enum.auto()
    CROWD = enum.auto()
    TOO_MANY = enum.auto()


class Crowd:
    """The threads of one run: of too many that compute all come after those of others from then
    on, and so does whatever they start. `most`: how many there were at once, of too many.

    It counts the processes too: process 1 does so more often, and among hundreds that compute it
    may wait for a processor for long."""

    def __init__(self, processes: int) -> None:
        self.most = 0
        self._processes = processes
        self._looked, self._looks = time.monotonic(), 0

    def look(self, pidfd: int) -> Found:
        """Looks at the processes below process 1, whose pidfd it is, if it is time to."""
        now = time.monotonic()
        if now < self._looked + _LOOK_S:
            return Found.NOTHING
        threads = [*islice(_threads(process_of(pidfd)), _MOST_LOOKED_AT)]
        states = {each: _state(each) for each in threads}
        # Of hundreds it takes long to look at each.
        self._looked = now + _RARELY * (time.monotonic() - now)
        if len({each.parent for each in threads if states[each] not in _OVER}) > self._processes:
            return Found.TOO_MANY
        return self._count(threads, [*states.values()].count("R"))

    def _count(self, threads: Sequence[Path], computing: int) -> Found:
        self._looks = self._looks + 1 if computing > _MOST * cpus() else 0
        if self._looks < _LOOKS:
            return Found.NOTHING
        self.most = max(self.most, computing)
        for each in threads:
            _come_last(int(each.name), idle=computing > _MANY * cpus())
        return Found.CROWD


def _come_last(thread: int, *, idle: bool) -> None:
    """After the threads of others; `idle`: with a fifth of even that."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, thread, _LAST)
        if idle:
            os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))


def _threads(first: int) -> Iterator[Path]:
    """Those of all processes below this one."""
    below = [first]
    for pid in below:
        for each in threads_of(PROC / str(pid)):
            with contextlib.suppress(OSError):
                below += map(int, (each / "children").read_text().split())
            if pid != first:
                yield each


def _state(thread: Path) -> str:
    return next(iter(fields(thread / "stat")), "")
