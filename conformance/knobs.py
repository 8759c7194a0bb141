"""The compiler's free choices, made by chance: which passes run, which pairs are fused, which
candidate of each launch is chosen. None of them may change what a program computes."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from compiler_core.ir.graph import Value
from compiler_core.schedule.choice import Option, Scope
from compiler_core.steering import Steering, steered


@contextmanager
def turned(seed: int | None) -> Iterator[None]:
    """Within the context, choices are those of the seed; the compiler's own without one."""
    with steered(Steering() if seed is None else Chance(seed)):
        yield


@dataclass(frozen=True)
class Chance(Steering):
    """Some of the passes; some groups of more than one captured operation are none, whatever that
    costs; and any candidate that is possible, instead of the cheapest."""

    seed: int

    @property
    def often(self) -> float:
        """How often a group is forbidden."""
        return self._of("fusion").choice((0.0, 0.3, 1.0))

    def _of(self, *what: object) -> random.Random:
        """The choices about one thing, in whatever order things are asked for."""
        return random.Random(f"{self.seed} {what}")

    def runs(self, name: str) -> bool:
        return self._of(name).random() < 0.5

    def forbids(self, members: frozenset[Value]) -> str:
        ids = sorted(x.id for x in members)
        forbidden = len(ids) > 1 and self._of(*ids).random() < self.often
        return "forbidden by chance" if forbidden else ""

    def picks(self, of: Scope | None, options: Sequence[Option[Any]]) -> Option[Any] | None:
        possible = [o for o in options if o.is_possible]
        return self._of(*(o.candidate.strategy for o in options)).choice(possible)
