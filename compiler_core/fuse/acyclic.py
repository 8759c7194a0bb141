"""An order of steps in which each comes after those that it reads, kept while steps are merged.

Two steps may become one if no path leaves them and comes back. Such a path goes through steps that
stand between them in the order, so no others are looked at. When they are merged, the steps between
them that depend on one of them move after them (Pearce and Kelly, "A dynamic topological sort
algorithm for directed acyclic graphs", 2006).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class Order(Generic[T]):
    """`steps` in an order in which they can run. `readers` returns the steps that read a step; its
    answers may change as steps are merged."""

    def __init__(self, steps: Sequence[T], readers: Callable[[T], Iterable[T]]) -> None:
        self._steps, self._readers = list[T | None](steps), readers
        self._place = {step: place for place, step in enumerate(steps)}

    def reaches_around(self, parts: Sequence[T]) -> bool:
        """Whether a path leaves `parts` and comes back to them: merged, they would depend on
        themselves."""
        return self._dependents(parts) is None

    def merge(self, parts: Sequence[T], whole: T) -> None:
        """Puts `whole` in place of `parts`, around which no path reaches."""
        dependents = self._dependents(parts)
        assert dependents is not None
        places = [self._place.pop(part) for part in parts]
        low, high = min(places), max(places)
        gone = set(parts)
        window = [s for s in self._steps[low : high + 1] if s is not None and s not in gone]
        before = [s for s in window if s not in dependents]
        after = [s for s in window if s in dependents]
        free = [None] * (high + 1 - low - len(window) - 1)
        self._steps[low : high + 1] = [*before, whole, *after, *free]
        for place, step in enumerate((*before, whole, *after), low):
            self._place[step] = place

    def _dependents(self, parts: Sequence[T]) -> set[T] | None:
        """The steps that need one of `parts` and stand before the last of them; None if one of
        these is needed by a part."""
        own, end = set(parts), max(self._place[part] for part in parts)
        found = set[T]()
        stack = [r for part in parts for r in self._readers(part) if r not in own]
        while stack:
            step = stack.pop()
            if step in found or self._place[step] > end:
                continue
            found.add(step)
            for reader in self._readers(step):
                if reader in own:
                    return None
                stack.append(reader)
        return found
