"""Ranges of the integer values of a kernel.

An index that is proved to be in bounds needs no clamp: an iota, a remainder by a constant, a byte
that indexes a table of 256.
"""

from collections.abc import Callable
from itertools import product

from compiler_core.ir import sizes
from compiler_core.ir.sizes import Dim
from compiler_core.ir.types import BOOL, DType
from compiler_core.kernel import affine
from compiler_core.kernel.affine import Extents
from compiler_core.kernel.kernel import Compute, Const, Def, Index

Interval = tuple[int, int]
Definition = Callable[[str], Def | None]


def interval(name: str, definition: Definition, extents: Extents) -> Interval | None:
    """The least and the greatest value, inclusive; None for floats, and if nothing is known."""
    d = definition(name)
    if d is None or d.dtype.is_float:
        return None
    found = _own(d, definition, extents)
    of_type = _of_type(d.dtype)
    # An operation that may have left its type wraps round: then only the type is known.
    inside = found is not None and of_type[0] <= found[0] <= found[1] <= of_type[1]
    return found if inside else of_type


def _of_type(dtype: DType) -> Interval:
    if dtype is BOOL:
        return 0, 1
    if dtype.kind == "uint":
        return 0, 2**dtype.bits - 1
    return -(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1


def _own(d: Def, definition: Definition, extents: Extents) -> Interval | None:
    match d:
        case Const():
            return int(d.value), int(d.value)
        case Index() if all(v in extents for v in d.access.values):
            return _numbers(affine.bounds(d.access, extents))
        case Compute() if d.op in _RULES:
            operands = [interval(a, definition, extents) for a in d.args]
            known = [x for x in operands if x is not None]
            return _RULES[d.op](*known) if len(known) == len(operands) else None
    return None


def _numbers(ends: tuple[Dim, Dim]) -> Interval | None:
    """Bounds that hold for all values of their symbols."""
    low, high = sizes.bounds(ends[0])[0], sizes.bounds(ends[1])[1]
    return None if low is None or high is None else (low, high)


def _corners(function: Callable[[int, int], int]) -> Callable[[Interval, Interval], Interval]:
    """A rule for functions whose extrema lie at the ends of their operands' intervals."""

    def rule(x: Interval, y: Interval) -> Interval:
        found = [function(a, b) for a, b in product(x, y)]
        return min(found), max(found)

    return rule


def _remainder(x: Interval, y: Interval) -> Interval | None:
    """The remainder has the sign of the dividend."""
    if y[0] <= 0:
        return None
    most = y[1] - 1
    return max(x[0], -most) if x[0] < 0 else 0, min(x[1], most) if x[1] > 0 else 0


def _and(x: Interval, y: Interval) -> Interval | None:
    least = [b for a, b in (x, y) if a >= 0]
    return (0, min(least)) if least else None


def _clamp(low: Interval, x: Interval, high: Interval) -> Interval:
    return min(max(low[0], x[0]), high[0]), min(max(low[1], x[1]), high[1])


_RULES: dict[str, Callable[..., Interval | None]] = {
    "add": _corners(lambda a, b: a + b),
    "subtract": _corners(lambda a, b: a - b),
    "multiply": _corners(lambda a, b: a * b),
    "maximum": _corners(max),
    "minimum": _corners(min),
    "clamp": _clamp,
    "remainder": _remainder,
    "and": _and,
    "convert": lambda x: x,
    "select": lambda _, x, y: (min(x[0], y[0]), max(x[1], y[1])),
}
