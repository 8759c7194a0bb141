"""What the seats of a workshop run: all of them the same list, each in an order of its own. What
one seat waits longer than another is then its turns, and not the draw of a dear example."""

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# One run in so many is of the text that all were given in this round, which is then one run; and of
# a seat's own one in so many measures.
_SAME, _MEASURED = 4, 8


class Wish(NamedTuple):
    """A run to ask for. `mark` makes the text one that nobody else has, or all the others of a
    round."""

    source: str
    mark: str
    measure: bool


def listed(sources: Sequence[str], count: int) -> list[str]:
    """`count` of them, at least one, evenly from the first to the last."""
    count = max(1, min(count, len(sources)))
    return [sources[at * len(sources) // count] for at in range(count)]


def wishes(sources: Sequence[str], seat: int, seed: int) -> Iterator[Wish]:
    """What a seat asks for, one after the other and without end: each time round all of `sources`
    once."""
    chance = random.Random(f"{seed} {seat}")
    all_the_same, own = [*sources[::_SAME]], [each for at, each in enumerate(sources) if at % _SAME]
    mine = itertools.count()
    for time_round in itertools.count():
        chance.shuffle(own)
        left = iter(own)
        for at in range(len(sources)):
            if at % _SAME:
                measures = (next(mine) + seat) % _MEASURED == 0
                yield Wish(next(left), f"{time_round} {at} of {seat}", measures)
            else:
                yield Wish(all_the_same[at // _SAME], f"{time_round} {at} of all", False)
