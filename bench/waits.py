"""How long each seat of a workshop waited for its first IRs, and how much longer than another by
chance alone."""

import itertools
import math
import random
import statistics
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from bench.service import Seen, p95

T = TypeVar("T")

# How many times the median wait a seat may wait.
UNFAIR = 2
# So many rooms are dealt by chance.
_DEALS = 1000
# Of each seat what it saw of its runs, one after the other.
Seats = Sequence[Sequence[Seen]]


class Wait(NamedTuple):
    """How long a seat waited for its first IRs, and until those runs began: seconds a run, in the
    mean."""

    ir_s: float
    begun_s: float


def compared(seats: Seats, listed: int) -> list[list[Seen]]:
    """The runs of each seat that saw an IR. Of whole rounds of the list, which has so many, for in
    a part of one some have had its dear examples and others not; where no seat has come to a whole
    one, all."""
    whole = [[*runs[: len(runs) // listed * listed]] for runs in seats]
    if not any(whole):
        whole = [[*runs] for runs in seats]
    seen = [[each for each in runs if each.ir_s is not None] for runs in whole]
    return [runs for runs in seen if runs]


def waiting(seats: Seats) -> list[Wait]:
    """Each seat's wait, the longest last."""
    return sorted(
        Wait(statistics.fmean(irs(runs)), statistics.fmean(each.first_s for each in runs))
        for runs in seats
    )


def worst(seats: Seats) -> float:
    """The longest wait over the median."""
    waits = waiting(seats)
    return waits[-1].ir_s / _middle(waits).ir_s if waits else math.nan


def by_chance(seats: Seats) -> list[float]:
    """The longest wait over the median, in rising order, of so many rooms in which all are treated
    the same: each seat has the waits of anybody for what it ran."""
    chance, waits = random.Random(0), defaultdict[str, list[float]](list)
    for each in itertools.chain(*seats):
        waits[each.of] += irs([each])
    found = []
    for _ in range(_DEALS if len(seats) > 1 else 0):
        left = {snippet: iter(chance.sample(of, len(of))) for snippet, of in waits.items()}
        means = sorted(statistics.fmean(next(left[each.of]) for each in runs) for runs in seats)
        found.append(means[-1] / _middle(means))
    return sorted(found)


def in_words(seats: Seats) -> str:
    """What the longest wait is made of, and the one in the middle, and what chance gives."""
    waits, dealt = waiting(seats), by_chance(seats)
    if not dealt:
        return ""
    both = (("the longest", waits[-1]), ("the median", _middle(waits)))
    parts = "; ".join(f"{name} {w.ir_s:.1f} s, {w.begun_s:.1f} of it in line" for name, w in both)
    more = 100 * sum(each > UNFAIR for each in dealt) / len(dealt)
    return (
        f" ({len(waits)} seats; {parts}); by chance alone {_middle(dealt):.2f}, {p95(dealt):.2f} "
        f"in the 95th percentile, more than {UNFAIR} in {more:.0f} rooms of 100"
    )


def irs(runs: Sequence[Seen]) -> list[float]:
    """Seconds until the first IR of each that has one."""
    return [seen.ir_s for seen in runs if seen.ir_s is not None]


def _middle(waits: Sequence[T]) -> T:
    return waits[(len(waits) - 1) // 2]
