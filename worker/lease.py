"""One measurement at a time on a device, across all worker processes of a machine."""

import contextlib
from pathlib import Path

from redis import Redis
from redis.exceptions import LockError
from redis.lock import Lock

# A worker that dies while it holds the lease blocks others for so long.
EXPIRES_S = 10.0
_KEY = "fuselab:lease:{machine}:{device}"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class RedisLease:
    """The right of one run to measure on a device: a lock in Redis, renewed while it is held."""

    def __init__(self, redis: "Redis[bytes]", device: str) -> None:
        # Containers on one machine have host names of their own and share its devices.
        machine = _BOOT_ID.read_text().strip()
        name = _KEY.format(machine=machine, device=device)
        self._lock = Lock(redis, name, timeout=EXPIRES_S, blocking=False, thread_local=False)

    def try_acquire(self) -> bool:
        return bool(self._lock.acquire())

    def renew(self) -> None:
        """Where this process was stopped for long, another may hold the lock: measuring goes on."""
        with contextlib.suppress(LockError):
            self._lock.reacquire()

    def release(self) -> None:
        with contextlib.suppress(LockError):
            self._lock.release()
