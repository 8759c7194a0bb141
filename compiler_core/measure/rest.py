"""Rests between two stretches of measuring, in which others of the machine may go first."""

import time
from collections.abc import Callable

from compiler_core.measure.machine import Watch

# Lets others go first who are to; returns once they have. They run meanwhile.
Rest = Callable[[], None]

# Who rested for longer has let others run: whatever ran is given so long to stand still again.
_RESTED_S, _SETTLES_S = 0.005, 0.06


def no_rest() -> None:
    """A rest that returns at once, where nobody else waits for the device."""


def pause(watch: Watch, rest: Rest, seconds: float) -> None:
    """A pause between blocks of samples, in which others may go first: what they do meanwhile is
    beside no sample, and not of what `watch` counts. It is longer where they take longer."""
    with watch.away() as away:
        rest()
    settles = _SETTLES_S if away.seconds > _RESTED_S else 0.0
    time.sleep(max(settles, seconds - away.seconds))
