"""Random programs as data: steps over a pool of values, run by any framework's table of steps.

A program can be run with steps left out, which is how a wrong one is made small (shrink.py), and
printed, which is how it is shown.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Step:
    """`kind` is a row of the table; `operands` are places in the pool; `given` are its numbers."""

    kind: str
    operands: tuple[int, ...]
    given: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Kind:
    """`draw` gives the numbers of a step for values, or None where it does not fit them; `run`
    computes it. `exact`: of exact operands the result is exact, so that a later step may jump by
    it; `jumps`: the operands must be."""

    draw: Callable[..., tuple[Any, ...] | None]
    run: Callable[..., Any]
    operands: int = 1
    exact: bool = False
    jumps: bool = False


@dataclass(frozen=True, eq=False)
class Program:
    """Called with the arguments, gives the values at `outputs`; the arguments are first in the
    pool, then the result of each step. A step in place has its operand as its result."""

    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    table: Mapping[str, Kind]

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        pool = list(args)
        for step in self.steps:
            operands = [pool[i] for i in step.operands]
            pool.append(self.table[step.kind].run(*operands, *step.given))
        return tuple(pool[i] for i in self.outputs)

    def text(self, inputs: int) -> str:
        """A line a step: `v3 = roll(v1, 2, 0)`."""
        lines = [f"v{inputs + at} = {_call(step)}" for at, step in enumerate(self.steps)]
        return "; ".join([*lines, f"return {', '.join(f'v{i}' for i in self.outputs)}"])


def _call(step: Step) -> str:
    return f"{step.kind}({', '.join([*(f'v{i}' for i in step.operands), *map(str, step.given)])})"


_LARGEST = 4096
_TRIES = 60


def drawn(
    rng: random.Random, args: Sequence[Any], table: Mapping[str, Kind], length: int
) -> Program:
    """A program of up to `length` steps over `args`, which are run through as it grows."""
    pool, exact, steps = list(args), set(range(len(args))), list[Step]()
    for _ in range(_TRIES):
        if len(steps) == length:
            break
        name = rng.choice(sorted(table))
        kind = table[name]
        operands = tuple(_operand(rng, len(pool)) for _ in range(kind.operands))
        if kind.jumps and not exact.issuperset(operands):
            continue
        value, given = _tried(rng, kind, [pool[i] for i in operands])
        if value is None:
            continue
        if kind.exact and exact.issuperset(operands):
            exact.add(len(pool))
        steps.append(Step(name, operands, given))
        pool.append(value)
    last = len(pool) - 1
    others = rng.sample(range(len(pool)), min(len(pool), rng.randint(0, 2)))
    return Program(tuple(steps), tuple(dict.fromkeys([last, *others])), table)


def _operand(rng: random.Random, count: int) -> int:
    """The newest values most of all."""
    return max(rng.randrange(count), rng.randrange(count))


def _tried(rng: random.Random, kind: Kind, values: list[Any]) -> tuple[Any, tuple[Any, ...]]:
    try:
        given = kind.draw(rng, *values)
        value = None if given is None else kind.run(*values, *given)
    except Exception:  # it does not fit these values
        return None, ()
    return (value if value is not None and _count(value) <= _LARGEST else None), given or ()


def _count(value: Any) -> int:
    count = 1
    for size in getattr(value, "shape", ()):
        count *= size
    return count
