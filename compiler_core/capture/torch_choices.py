"""ATen's comparisons, logic and choices, element by element."""

import math

import torch

from compiler_core.capture.rules import Operand, Rule
from compiler_core.capture.torch_pointwise import TorchRule
from compiler_core.capture.torch_types import dtype_of
from compiler_core.ir.graph import Node
from compiler_core.ir.types import BOOL, DType


def _common(c: Rule) -> DType:
    """The type in which torch compares the first two arguments."""
    return dtype_of(torch.result_type(c.raw[0], c.raw[1]))


def comparison(direction: str) -> TorchRule:
    def rule(c: Rule, x: Operand, y: Operand) -> Node:
        dtype = _common(c)
        left, right = (c.fit(v, dtype, c.out.shape) for v in (x, y))
        return c.cast(c.b.compare(left, right, direction), c.out.dtype)

    return rule


def logical(op: str) -> TorchRule:
    return lambda c, x, y: c.cast(
        c.b.node(op, *(c.fit(v, BOOL, c.out.shape) for v in (x, y))), c.out.dtype
    )


def _logical_not(c: Rule, x: Node) -> Node:
    return c.cast(c.b.node("not", c.cast(x, BOOL)), c.out.dtype)


def _where(c: Rule, condition: Node, x: Operand, y: Operand) -> Node:
    left, right = c.operands(x, y)
    return c.select(c.fit(condition, BOOL, c.out.shape), left, right)


def _masked_fill(c: Rule, x: Node, mask: Node, value: Operand) -> Node:
    return _where(c, mask, value, x)


def _clamp(c: Rule, x: Node, low: Operand | None = None, high: Operand | None = None) -> Node:
    (x,) = c.operands(x)
    if low is not None:
        x = c.op("maximum", x, low)
    return x if high is None else c.op("minimum", x, high)


def _clamp_min(c: Rule, x: Node, low: Operand) -> Node:
    return _clamp(c, x, low)


def _clamp_max(c: Rule, x: Node, high: Operand) -> Node:
    return _clamp(c, x, None, high)


def _is_nan(c: Rule, x: Node) -> Node:
    return c.is_nan(x)


def _is_inf(c: Rule, x: Node) -> Node:
    if not x.type.dtype.is_float:
        return c.b.scalar(False, BOOL, x.type.shape)
    return c.compare(c.b.node("abs", x), math.inf, "EQ")


def _nan_to_num(c: Rule, x: Node, nan: float | None, high: float | None, low: float | None) -> Node:
    if not x.type.dtype.is_float:
        return x
    limits = torch.finfo(c.raw[0].dtype)
    x = c.select(c.is_nan(x), 0.0 if nan is None else nan, x)
    x = c.select(c.compare(x, math.inf, "EQ"), limits.max if high is None else high, x)
    return c.select(c.compare(x, -math.inf, "EQ"), limits.min if low is None else low, x)


def _fmax(direction: str) -> TorchRule:
    """The other operand where one is NaN."""

    def rule(c: Rule, x: Node, y: Node) -> Node:
        x, y = c.operands(x, y)
        if not c.out.dtype.is_float:
            return c.b.node(direction, x, y)
        return c.select(c.is_nan(x), y, c.select(c.is_nan(y), x, c.b.node(direction, x, y)))

    return rule


TABLE: dict[str, TorchRule] = {
    "fmax": _fmax("maximum"),
    "fmin": _fmax("minimum"),
    "eq": comparison("EQ"),
    "ne": comparison("NE"),
    "lt": comparison("LT"),
    "le": comparison("LE"),
    "gt": comparison("GT"),
    "ge": comparison("GE"),
    "logical_and": logical("and"),
    "logical_or": logical("or"),
    "logical_xor": logical("xor"),
    "logical_not": _logical_not,
    "where": _where,
    "masked_fill": _masked_fill,
    "clamp": _clamp,
    "clamp_min": _clamp_min,
    "clamp_max": _clamp_max,
    "isnan": _is_nan,
    "isinf": _is_inf,
    "isfinite": lambda c, x: (
        c.b.node("is_finite", x) if x.type.dtype.is_float else c.b.scalar(True, BOOL, x.type.shape)
    ),
    "nan_to_num": _nan_to_num,
}
