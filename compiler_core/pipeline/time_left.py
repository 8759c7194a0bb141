"""How much of a run's time may be taken by what nobody waits for: machine code for a machine that
is not there, and where precision is lost.

A run that is stopped at its deadline ends without what it was asked for, be it one second before
its end. So such work takes half of what is left at most, and what comes after it has the other.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from compiler_core.measure.clock import Clock

# The seconds until the run is stopped.
TimeLeft = Callable[[], float]


def endless() -> float:
    """Of a run that nobody stops."""
    return math.inf


@dataclass(frozen=True)
class Share:
    """The time of some work that begins now: its seconds, whether these are all that it wanted, and
    why what it does not come to is left out."""

    seconds: float
    is_all: bool
    why: str
    clock: Clock


def share(wanted: float, left: float) -> Share:
    """Of the seconds that are left to a run, those for work that would take `wanted`."""
    half = max(0.0, left / 2)
    if wanted <= half:
        return Share(wanted, True, f"{wanted:.0f} s were not enough", Clock.of(wanted))
    return Share(half, False, f"the run had {2 * half:.0f} s left", Clock.of(half))
