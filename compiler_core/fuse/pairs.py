"""A priority queue of pairs of groups: the largest saving first, the earlier pair among equals."""

from collections.abc import Callable, Collection, Iterator
from heapq import heappop, heappush
from itertools import count

from compiler_core.fuse.clusters import Cluster
from compiler_core.fuse.group import Group

# The negated saving in microseconds, then the last places of both groups in the graph's order.
Key = tuple[float, int, int]


def key(gain: float, a: Cluster, b: Cluster) -> Key:
    """What pairs are ordered by: the larger gain first, then the earlier groups."""
    return (-gain, a.last, b.last)


class Pairs:
    """A priority queue. A pair is skipped once `alive` is false of one of its groups, as it is of a
    group that has been merged into another."""

    def __init__(self, alive: Callable[[Group], bool]) -> None:
        self._alive = alive
        self._heap: list[tuple[Key, int, Group, Group]] = []
        self._pushed = count()

    def push(self, gain: float, a: Group, b: Group) -> None:
        """Adds a pair whose merge saves `gain` microseconds."""
        heappush(self._heap, (key(gain, a, b), next(self._pushed), a, b))

    def taken(self) -> Iterator[tuple[float, Group, Group]]:
        """Takes the pairs out, the best first; pairs may be pushed meanwhile."""
        while self._heap:
            (negative, *_), _, a, b = heappop(self._heap)
            if self._alive(a) and self._alive(b):
                yield -negative, a, b

    def first_without(self, groups: Collection[Group]) -> Key | None:
        """The key of the best pair that contains none of `groups`; None if there is none."""
        aside = []
        while self._heap and not self._is_other(groups, *self._heap[0][2:]):
            aside.append(heappop(self._heap))
        found = self._heap[0][0] if self._heap else None
        for entry in aside:
            if self._alive(entry[2]) and self._alive(entry[3]):
                heappush(self._heap, entry)
        return found

    def _is_other(self, groups: Collection[Group], a: Group, b: Group) -> bool:
        return self._alive(a) and self._alive(b) and a not in groups and b not in groups
