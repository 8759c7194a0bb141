"""The share of a run's time for work that nobody waits for: machine code for a machine that is not
present, and finding where precision is lost.

A run that reaches its deadline ends without the results that were asked for, even one second before
its end. So such work takes at most half of the remaining time, and the stages after it have the
other half.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from compiler_core.measure.clock import Clock

# The seconds until the run is stopped.
TimeLeft = Callable[[], float]


def endless() -> float:
    """The seconds left to a run that nobody stops: infinity."""
    return math.inf


@dataclass(frozen=True)
class Share:
    """The time for work that begins now: its `seconds`, whether it `is_all` that was wanted, and
    `why` the rest of the work is left out when the time is over."""

    seconds: float
    is_all: bool
    why: str
    clock: Clock


def share(wanted: float, left: float) -> Share:
    """The share, of the `left` seconds of a run, for work that would take `wanted` seconds."""
    half = max(0.0, left / 2)
    if wanted <= half:
        return Share(wanted, True, f"{wanted:.0f} s were not enough", Clock.of(wanted))
    return Share(half, False, f"the run had {2 * half:.0f} s left", Clock.of(half))


@dataclass
class Turns:
    """What was asked for, one after the other in a share of the run's time: one begins where there
    is as much left as the longest before it has taken, for nobody can stop it midway. The first may
    take as long as what is like it and was done already: so many seconds."""

    share: Share
    longest: float

    @property
    def left_out(self) -> str:
        """Why the next is left out, and how to have it; blank if it may begin."""
        return "" if self.share.clock.left > self.longest else self.said

    @property
    def said(self) -> str:
        """That something is left out, why, and how to have it."""
        return f"left out: {self.share.why} for all of these. {_FEWER}"

    @property
    def is_over(self) -> bool:
        """Whether what is under way should end."""
        return self.share.clock.left < 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """Context of one of them."""
        start = time.monotonic()
        try:
            yield
        finally:
            self.longest = max(self.longest, time.monotonic() - start)


_FEWER = "Ask for fewer at a time, or run the snippet on the command line, where nobody stops a run"
