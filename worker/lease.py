"""The lease of a device: one measurement at a time, across all worker processes of a machine."""

import contextlib
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError
from redis.lock import Lock

# A worker that dies while it holds the lease blocks others for so long.
EXPIRES_S = 10.0
# How long a measurement lets others begin first, in seconds.
COURTESY_S = 3.0
# Who waits for it looks so often how long it is held yet.
_LOOK_S = 1.0
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

    def renew(self) -> None:
        """Extends the lock. If this process was suspended for long, another run may have taken it;
        measuring goes on all the same."""
        with contextlib.suppress(RedisError):
            self._lock.reacquire()

    def release(self) -> None:
        """Releases the lock if this run has it."""
        with contextlib.suppress(RedisError):
            self._lock.release()


class AfterBeginners:
    """A lease that lets those go first who have shown nothing yet, for they would stand still while
    it is held; but not for longer than COURTESY_S."""

    def __init__(self, lease: RedisLease, somebody_begins: Callable[[], bool]) -> None:
        self._lease, self._somebody_begins = lease, somebody_begins
        self._since = time.monotonic()

    def try_acquire(self) -> bool:
        """Takes the lease if it is free and nobody is to go first."""
        waited = time.monotonic() - self._since
        if waited < COURTESY_S and self._somebody_begins():
            return False
        return self._lease.try_acquire()

    def renew(self) -> None:
        """Extends the lease."""
        self._lease.renew()

    def release(self) -> None:
        """Gives the lease back."""
        self._lease.release()
