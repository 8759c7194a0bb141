"""The share of a run's time for work that nobody waits for: machine code for a machine that is not
present, and finding where precision is lost.

A run that reaches its deadline ends without the results that were asked for, even one second before
its end. So such work takes at most half of the remaining time, and the stages after it have the
other half.
"""

import math
from collections.abc import Callable
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
