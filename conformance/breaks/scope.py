"""What a statement of a random program may name, and what it leaves behind."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Scope:
    """Names in reach. `exact`: tensors whose numbers are the same in every order of computation,
    so that Python may decide by them and print them; `rough`: other tensors; `numbers`: Python's
    whole numbers. `made` counts the names that there were, `inside` the blocks around."""

    exact: tuple[str, ...]
    rough: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    made: int = 0
    inside: int = 0

    def new(self, kind: str) -> tuple[str, "Scope"]:
        """A name that was not there, and the scope in which it is of a kind ("exact", "rough",
        "numbers")."""
        name = f"v{self.made}"
        with_name: dict[str, Any] = {kind: (*getattr(self, kind), name)}
        return name, replace(self, made=self.made + 1, **with_name)

    def function(self) -> tuple[str, "Scope"]:
        """A name for a function, which nothing else calls."""
        return f"inner{self.made}", replace(self, made=self.made + 1)

    def within(self) -> "Scope":
        """That of a block."""
        return replace(self, inside=self.inside + 1)

    def after(self, block: "Scope") -> "Scope":
        """Behind a block, of whose names none is in reach."""
        return replace(self, made=block.made)

    @property
    def tensors(self) -> tuple[str, ...]:
        return (*self.exact, *self.rough)


# The lines of a statement and the scope behind it. IndexError where nothing in reach fits.
Written = tuple[Sequence[str], Scope]
Statement = Callable[[random.Random, Scope], Written]


def late(rng: random.Random, names: Sequence[str]) -> str:
    """One of the names, the newest most of all. Raises IndexError where there is none."""
    if not names:
        raise IndexError("no such name")
    return names[max(rng.randrange(len(names)), rng.randrange(len(names)))]


def indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]
