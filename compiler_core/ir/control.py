"""Loops and branches as the host drives them: what the numpy and torch meanings share, and how a
plan's control flow runs where generated code does not drive it.

    while(carried, invariants)           regions cond and body, over all operands
    scan(carried, scanned, invariants)   one region: carried, a row of each scanned, invariants
    case(index, operands)                a region a branch, over the operands
    call(operands)                       one region

A region is isolated, so a value that every step needs unchanged is an operand too: an
*invariant*. Invariants come last and no step returns them, so that nobody has to prove that they
stay as they are. The attributes `carried` and `scanned` count the operands of their kinds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from compiler_core.ir.graph import Operation
from compiler_core.ir.sizes import hint
from compiler_core.ir.types import TensorType

V = TypeVar("V")
# A region as a function of its arguments.
Body = Callable[[Sequence[V]], Sequence[V]]


@dataclass(frozen=True)
class Host(Generic[V]):
    """What the interpreter needs of an array library: a bool[] as a bool, an i32[] as an int, row
    x[i] of a scanned value, and the rows of a result stacked into one value of its type."""

    truth: Callable[[V], bool]
    number: Callable[[V], int]
    row: Callable[[V, int], V]
    stack: Callable[[Sequence[V], TensorType], V]


def parts(operands: Sequence[V], *counts: int) -> tuple[Sequence[V], ...]:
    """Splits operands by kind: `counts` of each kind in order, then the rest."""
    found, at = [], 0
    for count in counts:
        found.append(operands[at : at + count])
        at += count
    return (*found, operands[at:])


def branch_of(index: int, count: int) -> int:
    """The index of the branch taken; an index out of range takes the last one, as in StableHLO."""
    return index if 0 <= index < count else count - 1


def steps(length: int, reverse: bool) -> range:
    """Row numbers in the order in which a scan visits them."""
    return range(length - 1, -1, -1) if reverse else range(length)


def trips(operation: Operation) -> int:
    """How often a loop's regions run: the length of a scan (in the captured call, if it is
    symbolic), and 1 for a `while`, whose iterations cannot be counted, so that figures are those of
    one iteration. Other operations run them once."""
    return hint(dict(operation.attrs).get("length", 1))


def _while(
    host: Host[V], operation: Operation, bodies: Sequence[Body[V]], operands: Sequence[V]
) -> Sequence[V]:
    cond, body = bodies
    values, rest = parts(operands, operation["carried"])
    while host.truth(cond([*values, *rest])[0]):
        values = body([*values, *rest])
    return values


def _scan(
    host: Host[V], operation: Operation, bodies: Sequence[Body[V]], operands: Sequence[V]
) -> Sequence[V]:
    (body,), length = bodies, operation["length"]
    values, scanned, rest = parts(operands, operation["carried"], operation["scanned"])
    rows: list[Sequence[V]] = [()] * length
    for i in steps(length, operation["reverse"]):
        results = body([*values, *(host.row(x, i) for x in scanned), *rest])
        values, rows[i] = parts(results, len(values))
    stacked = operation.types[len(values) :]
    return [*values, *(host.stack([r[k] for r in rows], t) for k, t in enumerate(stacked))]


def _case(
    host: Host[V], operation: Operation, bodies: Sequence[Body[V]], operands: Sequence[V]
) -> Sequence[V]:
    index, *rest = operands
    return bodies[branch_of(host.number(index), len(bodies))](rest)


def _call(
    host: Host[V], operation: Operation, bodies: Sequence[Body[V]], operands: Sequence[V]
) -> Sequence[V]:
    return bodies[0](operands)


Rule = Callable[[Host[Any], Operation, Sequence[Body[Any]], Sequence[Any]], Sequence[Any]]

RULES: dict[str, Rule] = {"while": _while, "scan": _scan, "case": _case, "call": _call}
