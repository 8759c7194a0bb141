"""Constant folding: what is known at compile time is not computed at run time.

A constant with one value stays one under every view and every elementwise operation. What has no
elements is known, whatever computes it, and so is a reduction of no elements.
"""

from dataclasses import dataclass

import numpy as np

from compiler_core.interop.numpy_dtypes import NUMPY, in_type
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.library import is_check
from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.ops import FREE_VIEWS, OPS
from compiler_core.ir.sizes import Size
from compiler_core.ir.types import BOOL, DType
from compiler_core.passes.recording import Rewriting
from compiler_core.rewrite.engine import Rule


def _view_of_constant(node: Value, b: Builder) -> Value | None:
    if node.operands[0].op != "constant":
        return None
    return b.scalar(node.operands[0]["value"], node.type.dtype, node.type.shape)


def _convert_constant(node: Value, b: Builder) -> Value | None:
    (x,) = node.operands
    if not _is_number(x):
        return None
    value = _as(_value(x), node.type.dtype)
    return None if value is None else b.scalar(value, node.type.dtype, node.type.shape)


def _as(value: float | int | bool, dtype: DType) -> float | int | bool | None:
    """The value in the other type; None where a float has no integer."""
    if dtype.is_float:
        return _rounded(float(value), dtype)
    if dtype.kind == "bool":
        return bool(value)
    if not np.isfinite(value):
        return None
    # Of a float beyond the type's range the operation says what it is.
    within = dtype.wrapped(int(value))
    return within if isinstance(value, int) or within == int(value) else None


def _value(x: Value) -> float | int | bool:
    """A constant's number as its type has it: 0.1 is 0.10000000149011612 in f32."""
    dtype, value = x.type.dtype, x["value"]
    return float(in_type(value, dtype.name)) if dtype.is_float else value


def _rounded(value: float, dtype: DType) -> float:
    """What `value` is in a floating-point type: of one of f32 and wider the shortest number that is
    it there; narrower ones are computed with in f32, where another number is not it."""
    number = in_type(value, dtype.name)
    return float(str(number)) if dtype.bits >= 32 else float(number)


# Correctly rounded operations: computed in float64 and rounded to a type at most half as wide, they
# give the result of the operation in that type.
_EXACT = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "negate": np.negative,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


def _constant_arithmetic(node: Value, b: Builder) -> Value | None:
    if not node.type.dtype.is_float or not all(map(_is_number, node.operands)):
        return None
    with np.errstate(all="ignore"):
        value = float(_EXACT[node.op](*map(np.float64, map(_value, node.operands))))
    return b.scalar(_rounded(value, node.type.dtype), node.type.dtype, node.type.shape)


def _is_number(x: Value) -> bool:
    return x.op == "constant" and not isinstance(x["value"], Size)


_COMPARED = {
    "EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater,
    "GE": np.greater_equal,
}  # fmt: skip


def _constant_truth(node: Value, b: Builder) -> Value | None:
    """Of numbers as their type has them: two that differ may be one in f32."""
    dtype = NUMPY[node.operands[0].type.dtype.name]
    if not all(map(_is_number, node.operands)):
        return None
    with np.errstate(all="ignore"):
        numbers = [np.asarray(x["value"]).astype(dtype) for x in node.operands]
    compute = _COMPARED[node["direction"]] if node.op == "compare" else np.isfinite
    return b.scalar(bool(compute(*numbers)), node.type.dtype, node.type.shape)


def _known_part(node: Value, b: Builder) -> Value | None:
    """`and` and `or` of a truth value that is known and another."""
    if node.type.dtype is not BOOL:
        return None
    for known, other in (node.operands, reversed(node.operands)):
        if _is_number(known):
            decides = bool(known["value"]) is (node.op == "or")
            return known if decides else other
    return None


def _known_choice(node: Value, b: Builder) -> Value | None:
    predicate, x, y = node.operands
    if not _is_number(predicate):
        return None
    return x if predicate["value"] else y


def _without_elements(node: Value, b: Builder) -> Value | None:
    if 0 not in node.type.shape or OPS[node.op].fusion in ("memory", "literal"):
        return None
    if is_check(node.operation):
        return None
    zero = MONOIDS["add"].identity(node.type.dtype)[0]
    return b.scalar(zero, node.type.dtype, node.type.shape)


def _reduce_of_nothing(node: Value, b: Builder) -> Value | None:
    shape = node.operands[0].type.shape
    if not any(shape[d] == 0 for d in node["dimensions"]):
        return None
    identity = MONOIDS[node["monoid"]].identity(node.operation.types[0].dtype)
    return b.scalar(identity[node.index], node.type.dtype, node.type.shape)


RULES = (
    Rule(
        "without-elements",
        "x[0] -> c[0]",
        _without_elements,
        "there is nothing to compute",
    ),
    Rule(
        "reduce-of-nothing",
        "reduce x[0] -> its identity",
        _reduce_of_nothing,
        "known now",
        ("reduce",),
    ),
    Rule(
        "view-of-constant",
        "view(c) -> c",
        _view_of_constant,
        "a splat has one value",
        tuple(sorted(FREE_VIEWS)),
    ),
    Rule("convert-constant", "convert(c) -> c", _convert_constant, "known now", ("convert",)),
    Rule("constant-arithmetic", "c1 op c2 -> c", _constant_arithmetic, "known now", tuple(_EXACT)),
    Rule("constant-truth", "compare(c1, c2) -> c", _constant_truth, "known now",
         ("compare", "is_finite")),
    Rule("known-part", "and(x, true) -> x", _known_part, "true of all, false of none",
         ("and", "or")),
    Rule("known-choice", "select(true, x, y) -> x", _known_choice, "known now", ("select",)),
)  # fmt: skip


@dataclass(frozen=True)
class FoldConstants(Rewriting):
    """Operations on constants become constants."""

    name = "fold-constants"
    about = "what is known now is not computed later"

    @property
    def rules(self) -> tuple[Rule, ...]:
        return RULES
