"""Launches that threads call side by side: each part by one of them, with the launches of it in
order. Between the parts of a group there is no order, and nothing that one writes is read or
written by another (docs/decisions/0115)."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compiler_core.plan.plan import Launch


@dataclass(frozen=True, slots=True)
class Side:
    """Where a launch stands: its group, by the number of that in the plan, and its part of it."""

    group: int
    part: int


def grouped(launches: Iterable["Launch"]) -> list[tuple["Launch", ...]]:
    """The launches in order, those of one group together and each of the others by itself."""
    numbered = enumerate(launches)

    def key(each: "tuple[int, Launch]") -> tuple[bool, int]:
        number, launch = each
        return (True, launch.side.group) if launch.side else (False, number)

    return [tuple(x for _, x in each) for _, each in groupby(numbered, key)]


def moments(launches: Iterable["Launch"]) -> list[int]:
    """When each launch runs, as the number of the first launch that may run while it does."""
    found = list[int]()
    for together in grouped(launches):
        found += [len(found)] * len(together)
    return found
