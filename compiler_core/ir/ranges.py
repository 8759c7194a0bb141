"""Ranges of a graph's values: the least and the greatest number that a value can have.

JAX adds a dimension's size to every negative index, and torch brings each index in bounds: where an
index is known to be in bounds, neither is computed. A float has a range only if no element can be
NaN; in `select(x == x, x, y)` that is true of x.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from math import ceil, floor, inf, isfinite, isnan

from compiler_core.ir.graph import Value
from compiler_core.ir.ops import FREE_VIEWS
from compiler_core.ir.sizes import Size
from compiler_core.ir.types import BOOL, DType

Range = tuple[float, float]
# The most operations in a row that are looked through.
_DEEPEST = 32
# The relative rounding error of f32 and f64, at most, by which ranges of results are widened.
_ROUNDED = 2.0**-22


_ANY = (-inf, inf)
# For f32 and wider: the largest magnitude up to which integers are exact, and one up to which
# results do not overflow.
_WHOLE, _LARGEST = 2.0**24, 2.0**126


def range_of(x: Value) -> Range | None:
    """The least and the greatest number that elements of `x` can have, inclusive; None if nothing
    is known."""
    return _Ranges().of(x, _DEEPEST)


def of_type(dtype: DType) -> tuple[int, int]:
    """The least and the greatest number of an integer type; (0, 1) for bool."""
    if dtype is BOOL:
        return 0, 1
    if dtype.kind == "uint":
        return 0, 2**dtype.bits - 1
    return -(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1


@dataclass
class _Ranges:
    """Those of a value and of what it is computed from, each found once."""

    found: dict[Value, Range | None] = field(default_factory=dict)

    def of(self, x: Value, depth: int) -> Range | None:
        if x not in self.found:
            own = self._own(x, depth - 1) if depth else None
            dtype = x.type.dtype
            self.found[x] = (self._float if dtype.is_float else _in_type)(own, dtype)
        return self.found[x]

    def _float(self, own: Range | None, dtype: DType) -> Range | None:
        finite = own is not None and dtype.bits >= 32 and all(map(isfinite, _rounded(own)))
        return _rounded(own) if own is not None and finite else None

    def _own(self, x: Value, depth: int) -> Range | None:
        if x.op == "constant":
            return None if isinstance(x["value"], Size) else (x["value"], x["value"])
        if x.op == "iota":
            size = x.type.shape[x["dimension"]]
            return None if isinstance(size, Size) else (0, max(0, size - 1))
        if x.op in _REARRANGING:
            return _union([self.of(y, depth) for y in x.operands])
        if x.op not in RULES or (x.op in _OF_INTEGERS and x.type.dtype.is_float):
            return None
        if x.op == "convert" and x.type.dtype is BOOL:
            return None
        if (number := _number_or(x)) is not None:
            return _union([_Numbers(self).of(number[0], depth), self.of(number[1], depth)])
        operands = [self.of(y, depth) for y in x.operands]
        known = [r for r in operands if r is not None]
        return RULES[x.op](*known) if len(known) == len(operands) else None


class _Numbers(_Ranges):
    """Of floats, those of the elements that are no NaN: what any operation here has computed of one
    is NaN again."""

    def __init__(self, every: _Ranges) -> None:
        super().__init__()
        self.every = every

    def of(self, x: Value, depth: int) -> Range | None:
        if not x.type.dtype.is_float:
            return self.every.of(x, depth)
        found = super().of(x, depth)
        return _ANY if found is None else found

    def _float(self, own: Range | None, dtype: DType) -> Range | None:
        known = own is not None and dtype.bits >= 32 and not any(map(isnan, own))
        return _rounded(own) if own is not None and known else None


def _number_or(x: Value) -> tuple[Value, Value] | None:
    """What a select chooses where that is no NaN, and what it chooses else; None where it chooses
    by something else."""
    if x.op != "select" or x.operands[0].op != "compare":
        return None
    (a, b), (_, first, second) = x.operands[0].operands, x.operands
    number, other = {"EQ": (first, second), "NE": (second, first)}.get(
        x.operands[0]["direction"], (None, None)
    )
    return (number, other) if number is not None and other and a is b is number else None


_OF_INTEGERS = frozenset({"remainder", "and"})
# Operations whose results have only elements of their operands.
_REARRANGING = FREE_VIEWS | {"concatenate"}


def _union(ranges: Iterable[Range | None]) -> Range | None:
    every = list(ranges)
    known = [r for r in every if r is not None]
    if not known or len(known) < len(every):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _in_type(own: Range | None, dtype: DType) -> Range | None:
    """As `dtype` has it. An operation that may have left an integer's type wraps round: then only
    the type is known."""
    if not (dtype is BOOL or dtype.is_integer):
        return None
    least, most = of_type(dtype)
    if own is None or not all(map(isfinite, own)):
        return least, most
    low, high = int(own[0]), int(own[1])
    return (low, high) if least <= low <= high <= most else (least, most)


def _rounded(own: Range) -> Range:
    """As floats have it, of 32 bits or more."""
    low, high = own
    return _next(low, -1), _next(high, 1)


def _next(x: float, way: int) -> float:
    """`x`, and what rounding may add to it."""
    if abs(x) <= _WHOLE and x == int(x):
        return x
    return way * inf if abs(x) > _LARGEST else x + way * abs(x) * _ROUNDED


def _corners(function: Callable[[float, float], float], x: Range, y: Range) -> Range:
    """Of functions whose extrema lie at the ends of their operands' ranges."""
    found = [function(a, b) for a, b in product(x, y)]
    return _ANY if any(map(isnan, found)) else (min(found), max(found))


def _whole(function: Callable[[float], float], x: Range) -> Range:
    """Of functions that rise from one whole number to the next."""
    low, high = (function(end) if isfinite(end) else end for end in x)
    return low, high


def _remainder(x: Range, y: Range) -> Range | None:
    """The remainder has the sign of the dividend."""
    if y[0] <= 0:
        return None
    most = y[1] - 1
    return max(x[0], -most) if x[0] < 0 else 0, min(x[1], most) if x[1] > 0 else 0


def _and(x: Range, y: Range) -> Range | None:
    least = [b for a, b in (x, y) if a >= 0]
    return (0, min(least)) if least else None


def _clamp(low: Range, x: Range, high: Range) -> Range:
    return min(max(low[0], x[0]), high[0]), min(max(low[1], x[1]), high[1])


RULES: dict[str, Callable[..., Range | None]] = {
    "add": partial(_corners, lambda a, b: a + b),
    "subtract": partial(_corners, lambda a, b: a - b),
    "multiply": partial(_corners, lambda a, b: a * b),
    "maximum": partial(_corners, max),
    "minimum": partial(_corners, min),
    "clamp": _clamp,
    "remainder": _remainder,
    "and": _and,
    "floor": partial(_whole, floor),
    "ceil": partial(_whole, ceil),
    "round_nearest_even": partial(_whole, round),
    "convert": lambda x: x,
    "select": lambda _, x, y: (min(x[0], y[0]), max(x[1], y[1])),
}
