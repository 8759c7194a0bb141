"""The other runs of this machine, as one that stands still while they measure sees them."""

import time
from collections.abc import Callable, Iterable

from redis import Redis

from worker.lease import line_of, somebody_measures

# How long it is taken as it was whether somebody measures.
_MEASURED_S = 0.015


class OtherRuns:
    """Those that measure on any of these devices."""

    def __init__(self, redis: Callable[[], Redis], devices: Callable[[], Iterable[str]]) -> None:
        self._redis, self._devices = redis, devices
        self._measured = (-1e9, False)

    def measure(self) -> bool:
        """As it was a moment ago: all runs under way ask again and again."""
        now = time.monotonic()
        if now >= self._measured[0] + _MEASURED_S:
            self._measured = (now, somebody_measures(self._redis(), self._devices()))
        return self._measured[1]

    def words(self) -> str:
        """What is before whoever stands still, if it is of this worker."""
        words = (line_of(each).words_of_who_stands_still() for each in self._devices())
        return next(filter(None, words), "")
