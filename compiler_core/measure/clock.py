"""A time limit that whoever computes checks between two steps."""

import math
import time
from dataclasses import dataclass


class TooLong(BaseException):
    """The time limit has passed. Not an Exception, so that nothing that catches a program's errors
    catches it."""


@dataclass(frozen=True)
class Clock:
    """Raises TooLong when called after `ends`, in seconds of time.monotonic(), or when the thread
    that calls has worked until `worked`, in seconds of time.thread_time()."""

    ends: float
    worked: float = math.inf

    @classmethod
    def of(cls, seconds: float) -> "Clock":
        """One that ends in `seconds`."""
        return cls(time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """The seconds until it ends, of whichever is less; negative after that."""
        return min(self.ends - time.monotonic(), self.worked - time.thread_time())

    def __call__(self) -> None:
        if self.left < 0:
            raise TooLong


@dataclass(frozen=True)
class Limit:
    """How long something may take: seconds of work, which are as many on a busy machine, and
    seconds by the clock, in which other processes are waited for as well."""

    work: float
    most: float

    def __str__(self) -> str:
        return f"{self.work:.0f} s of work, and {self.most:.0f} s in all"

    def begin(self) -> Clock:
        """The clock of what begins now, in this thread."""
        return Clock(time.monotonic() + self.most, time.thread_time() + self.work)
