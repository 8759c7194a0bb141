"""A time limit that whoever computes checks between two steps."""

import time
from dataclasses import dataclass


class TooLong(BaseException):
    """The time limit has passed. Not an Exception, so that nothing that catches a program's errors
    catches it."""


@dataclass(frozen=True)
class Clock:
    """Raises TooLong when called after `ends`, in seconds of time.monotonic()."""

    ends: float

    @classmethod
    def of(cls, seconds: float) -> "Clock":
        """One that ends in `seconds`."""
        return cls(time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """The seconds until it ends; negative after that."""
        return self.ends - time.monotonic()

    def __call__(self) -> None:
        if self.left < 0:
            raise TooLong
