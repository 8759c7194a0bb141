"""Simplifications by the known ranges of integers: an index that is in bounds needs no comparison
and no clamp."""

from collections.abc import Callable

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.ranges import Range, range_of
from compiler_core.rewrite.engine import Rule


def _known_order(node: Value, b: Builder) -> Value | None:
    """JAX asks of each index whether it is negative."""
    x, y = map(_integers, node.operands)
    if x is None or y is None:
        return None
    holds = _ORDERS[node["direction"]](x, y)
    return None if holds is None else b.scalar(holds, node.type.dtype, node.type.shape)


def _integers(x: Value) -> Range | None:
    return range_of(x) if x.type.dtype.is_integer else None


def _below(x: Range, y: Range) -> bool | None:
    """Whether each of the first is less than each of the second; None where that differs."""
    return True if x[1] < y[0] else False if x[0] >= y[1] else None


def _apart(x: Range, y: Range) -> bool | None:
    return True if x[1] < y[0] or y[1] < x[0] else None


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


_ORDERS: dict[str, Callable[[Range, Range], bool | None]] = {
    "LT": _below,
    "GE": lambda x, y: _not(_below(x, y)),
    "GT": lambda x, y: _below(y, x),
    "LE": lambda x, y: _not(_below(y, x)),
    "NE": _apart,
    "EQ": lambda x, y: _not(_apart(x, y)),
}


def _known_extremum(node: Value, b: Builder) -> Value | None:
    x, y = map(_integers, node.operands)
    if x is None or y is None:
        return None
    first, second = node.operands if node.op == "maximum" else reversed(node.operands)
    return first if x[0] >= y[1] else second if y[0] >= x[1] else None


def _known_within(node: Value, b: Builder) -> Value | None:
    low, x, high = map(_integers, node.operands)
    if low is None or x is None or high is None:
        return None
    return node.operands[1] if low[1] <= x[0] and x[1] <= high[0] else None


def _known_conversion(node: Value, b: Builder) -> Value | None:
    """Of the zeros that an extremum chooses between, both are the same integer."""
    (x,) = node.operands
    if not node.type.dtype.is_integer or not x.type.dtype.is_float or x.op not in _EXTREMA:
        return None
    ends = [range_of(y) for y in x.operands]
    for kept, own, other in zip(x.operands, ends, reversed(ends), strict=True):
        if own is not None and other is not None and _EXTREMA[x.op](own, other):
            return b.convert(kept, node.type.dtype)
    return None


# Whether the ranges say that the first operand is the result.
_EXTREMA: dict[str, Callable[[Range, Range], bool]] = {
    "maximum": lambda x, y: x[0] >= y[1],
    "minimum": lambda x, y: x[1] <= y[0],
}

RULES = (
    Rule(
        "known-order",
        "x < y of integers -> true where each x is less than each y",
        _known_order,
        "exact",
        ("compare",),
    ),
    Rule(
        "known-extremum",
        "max(x, y) of integers -> x where each x is at least each y",
        _known_extremum,
        "exact",
        ("maximum", "minimum"),
    ),
    Rule(
        "known-within",
        "clamp(low, x, high) of integers -> x where each x is within",
        _known_within,
        "exact",
        ("clamp",),
    ),
    Rule(
        "known-conversion",
        "an integer of max(x, c) -> an integer of x where each x is at least c",
        _known_conversion,
        "exact",
        ("convert",),
    ),
)
