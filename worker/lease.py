"""The lease of a device: one measurement at a time, across all worker processes of a machine."""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from functools import cache
from itertools import count
from math import ceil
from pathlib import Path
from statistics import fmean
from weakref import WeakSet

from redis import Redis
from redis.exceptions import RedisError
from redis.lock import Lock

from compiler_core.wording import counted

# A worker that dies while it holds the lease blocks others for so long.
EXPIRES_S = 10.0
# How long a measurement lets others begin first, in seconds.
COURTESY_S = 3.0
# How long somebody waits is the mean of so many measurements.
_LATEST = 20
# Who waits for it looks so often how long it is held yet.
_LOOK_S = 1.0
# Whoever does not take it while it is free for so long is passed over: their run stands still.
_PASSED_S = 2.0
_KEY = "fuselab:lease:{machine}:{device}"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def somebody_measures(redis: Redis, devices: Iterable[str]) -> bool:
    """Whether any run on this machine has the lease of one of these devices; no where Redis is
    away."""
    with contextlib.suppress(RedisError):
        return any(redis.mget([_key(each) for each in devices]))
    return False


def _key(device: str) -> str:
    return _KEY.format(machine=_machine(), device=device)


@cache
def _machine() -> str:
    return _BOOT_ID.read_text().strip()


class RedisLease:
    """One run's right to measure on a device: a lock in Redis that expires unless it is renewed."""

    def __init__(self, redis: Redis, device: str) -> None:
        # Containers on one machine have host names of their own and share its devices.
        self._redis, self._name = redis, _key(device)
        self._lock = Lock(redis, self._name, timeout=EXPIRES_S, blocking=False, thread_local=False)
        self._looked = -_LOOK_S

    def try_acquire(self) -> bool:
        """Takes the lock if it is free; returns whether this run has it. Nobody has it while Redis
        is away."""
        with contextlib.suppress(RedisError):
            if self._lock.acquire():
                return True
            self._look()
        return False

    def _look(self) -> None:
        """Redis keeps by the wall clock until when a lock is held. Where that was set back, one
        whose run is dead would be held as much longer."""
        now = time.monotonic()
        if now < self._looked + _LOOK_S:
            return
        self._looked = now
        if self._redis.pttl(self._name) > 1e3 * EXPIRES_S:
            self._redis.pexpire(self._name, int(1e3 * EXPIRES_S))

    def words(self) -> str:
        """Of those who wait for it Redis knows nothing."""
        return ""

    def renew(self) -> None:
        """Extends the lock. If this process was suspended for long, another run may have taken it;
        measuring goes on all the same."""
        with contextlib.suppress(RedisError):
            self._lock.reacquire()

    def rest(self) -> bool:
        """Of those who are to go first Redis knows nothing."""
        return False

    def release(self) -> None:
        """Releases the lock if this run has it."""
        with contextlib.suppress(RedisError):
            self._lock.release()


class Line:
    """Those of one worker that measure or wait to, in the order in which they came, and how long
    the latest measured."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # One whose run ends while it waits is in nobody's hands any more.
        self._there = WeakSet["AfterBeginners"]()
        self._numbers = count()
        self._held = time.monotonic()
        self._took = deque[float](maxlen=_LATEST)

    def join(self, lease: "AfterBeginners") -> None:
        """Waits from now on."""
        with self._lock:
            lease.number = next(self._numbers)
            self._there.add(lease)

    def leave(self, lease: "AfterBeginners", took_s: float) -> None:
        """Has measured for so long."""
        with self._lock:
            self._there.discard(lease)
            self._took.append(took_s)
            self._held = time.monotonic()

    def is_held(self) -> None:
        """Somebody has it just now, of this worker or another."""
        with self._lock:
            self._held = time.monotonic()

    def is_next(self, lease: "AfterBeginners") -> bool:
        """Whether it may try to take what is free."""
        with self._lock:
            is_left = time.monotonic() > self._held + _PASSED_S
            return is_left or not self._before(lease)

    def words(self, lease: "AfterBeginners") -> str:
        """What is before one that waits, if anything is."""
        with self._lock:
            return self._after("to measure, after", self._before(lease))

    def words_of_who_stands_still(self) -> str:
        """What is before a run that is stopped while others measure, and goes on between them."""
        with self._lock:
            return self._after("to go on, after at most", len(self._there))

    def _before(self, lease: "AfterBeginners") -> int:
        return sum(each.number < lease.number for each in self._there)

    def _after(self, what: str, others: int) -> str:
        """Of the runs of other workers nothing is known, nor how long the first one takes."""
        words = f"{what} {counted(others, 'other run')}" if others else ""
        seconds = ceil(others * fmean(self._took)) if self._took else 0
        return f"{words}, about {seconds} s" if words and seconds else words


@cache
def line_of(device: str) -> Line:
    """That of this process for a device."""
    return Line()


class AfterBeginners:
    """A lease that lets those go first who have shown nothing yet, for they would stand still while
    it is held: before it is taken, and wherever it rests; but not for longer than COURTESY_S before
    it, nor in all rests together. Until it is given back it is in the `line`, and is taken in its
    order."""

    def __init__(self, lease: RedisLease, somebody_begins: Callable[[], bool], line: Line) -> None:
        self._lease, self._somebody_begins, self._line = lease, somebody_begins, line
        # When it was first taken, and asked for last; how long others may still go first.
        self._since: float | None = None
        self._asked, self._courtesy_s = time.monotonic(), COURTESY_S
        # In the order in which they came; the line gives it.
        self.number = -1
        line.join(self)

    def try_acquire(self) -> bool:
        """Takes the lease if it is free and nobody is to go first."""
        now = time.monotonic()
        if self._lets_in(now - self._asked):
            return False
        if not self._line.is_next(self):
            return False
        if not self._lease.try_acquire():
            self._line.is_held()
            return False
        if self._since is None:
            self._since = now
        else:
            self._courtesy_s -= now - self._asked
        return True

    def rest(self) -> bool:
        """Gives the lease back for as long as others go first, if somebody is to; whether it did.
        Its place in the line it keeps."""
        if not self._lets_in(0.0):
            return False
        self._asked = time.monotonic()
        self._line.is_held()
        self._lease.release()
        return True

    def _lets_in(self, waited_s: float) -> bool:
        return waited_s < self._courtesy_s and self._somebody_begins()

    def words(self) -> str:
        """What it waits for."""
        return self._line.words(self)

    def renew(self) -> None:
        """Extends the lease."""
        self._lease.renew()

    def release(self) -> None:
        """Gives the lease back."""
        self._lease.release()
        now = time.monotonic()
        self._line.leave(self, now - (now if self._since is None else self._since))
