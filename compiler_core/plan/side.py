"""Launches that threads call side by side. A group of them is divided into parts: each part is
called by one thread, in order. Parts of a group have no order, and no part reads or writes what
another writes (docs/decisions/0115)."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compiler_core.plan.plan import Launch


@dataclass(frozen=True, slots=True)
class Side:
    """The place of a launch that runs beside others: `group` is the group's number in the plan,
    `part` that of the part within it."""

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
    """The time at which each launch runs, as a number: launches that may run at the same time have
    the index of the first launch of their group, all others their own index."""
    found = list[int]()
    for together in grouped(launches):
        found += [len(found)] * len(together)
    return found
