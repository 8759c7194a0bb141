"""ATen's elementwise comparisons, logical operations and selections."""

import math

import torch

from compiler_core.capture.lowering_context import LoweringContext, Operand
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.types import dtype_of
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL, DType


def _common(ctx: LoweringContext) -> DType:
    """The type in which torch compares the first two arguments."""
    return dtype_of(torch.result_type(ctx.raw[0], ctx.raw[1]))


def comparison(direction: str) -> TorchRule:
    """The rule of a comparison; `direction` is StableHLO's: "EQ", "NE", "LT", "LE", "GT", "GE"."""

    def rule(ctx: LoweringContext, x: Operand, y: Operand) -> Value:
        dtype = _common(ctx)
        left, right = (ctx.fit(v, dtype, ctx.out.shape) for v in (x, y))
        return ctx.cast(ctx.b.compare(left, right, direction), ctx.out.dtype)

    return rule


def logical(op: str) -> TorchRule:
    """The rule of a logical operation: operands of other types are true where they are not 0."""
    return lambda ctx, x, y: ctx.cast(
        ctx.b.node(op, *(ctx.fit(v, BOOL, ctx.out.shape) for v in (x, y))), ctx.out.dtype
    )


def _logical_not(ctx: LoweringContext, x: Value) -> Value:
    return ctx.cast(ctx.b.node("not", ctx.cast(x, BOOL)), ctx.out.dtype)


def _where(ctx: LoweringContext, condition: Value, x: Operand, y: Operand) -> Value:
    left, right = ctx.operands(x, y)
    return ctx.select(ctx.fit(condition, BOOL, ctx.out.shape), left, right)


def _masked_fill(ctx: LoweringContext, x: Value, mask: Value, value: Operand) -> Value:
    return _where(ctx, mask, value, x)


def _clamp(
    ctx: LoweringContext, x: Value, low: Operand | None = None, high: Operand | None = None
) -> Value:
    (x,) = ctx.operands(x)
    if low is not None:
        x = ctx.op("maximum", x, low)
    return x if high is None else ctx.op("minimum", x, high)


def _clamp_min(ctx: LoweringContext, x: Value, low: Operand) -> Value:
    return _clamp(ctx, x, low)


def _clamp_max(ctx: LoweringContext, x: Value, high: Operand) -> Value:
    return _clamp(ctx, x, None, high)


def _is_nan(ctx: LoweringContext, x: Value) -> Value:
    return ctx.is_nan(x)


def _is_inf(ctx: LoweringContext, x: Value) -> Value:
    if not x.type.dtype.is_float:
        return ctx.b.scalar(False, BOOL, x.type.shape)
    return ctx.compare(ctx.b.node("abs", x), math.inf, "EQ")


def _nan_to_num(
    ctx: LoweringContext, x: Value, nan: float | None, high: float | None, low: float | None
) -> Value:
    if not x.type.dtype.is_float:
        return x
    limits = torch.finfo(ctx.raw[0].dtype)
    x = ctx.select(ctx.is_nan(x), 0.0 if nan is None else nan, x)
    x = ctx.select(ctx.compare(x, math.inf, "EQ"), limits.max if high is None else high, x)
    return ctx.select(ctx.compare(x, -math.inf, "EQ"), limits.min if low is None else low, x)


def _fmax(direction: str) -> TorchRule:
    """The other operand where one is NaN."""

    def rule(ctx: LoweringContext, x: Value, y: Value) -> Value:
        x, y = ctx.operands(x, y)
        if not ctx.out.dtype.is_float:
            return ctx.b.node(direction, x, y)
        return ctx.select(
            ctx.is_nan(x), y, ctx.select(ctx.is_nan(y), x, ctx.b.node(direction, x, y))
        )

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
    "isfinite": lambda ctx, x: (
        ctx.b.node("is_finite", x)
        if x.type.dtype.is_float
        else ctx.b.scalar(True, BOOL, x.type.shape)
    ),
    "nan_to_num": _nan_to_num,
}
