"""Functions that the IR has no operation for, as formulas over those that it has.

Both front ends use them, so that a function is the same IR whichever framework it came from.
"""

import math

from compiler_core.capture.lowering_context import LoweringContext, Number
from compiler_core.ir.graph import Value
from compiler_core.ir.types import DType


def floor(ctx: LoweringContext, x: Value) -> Value:
    return ctx.b.node("floor", x)


def trunc(ctx: LoweringContext, x: Value) -> Value:
    """Rounded towards zero."""
    magnitude = floor(ctx, ctx.b.node("abs", x))
    return ctx.select(ctx.compare(x, 0, "LT"), ctx.neg(magnitude), magnitude)


def power(ctx: LoweringContext, x: Value, exponent: Number) -> Value:
    """x^exponent: whole exponents up to 4 in size as products, +-0.5 as sqrt and rsqrt."""
    if float(exponent).is_integer() and 0 < abs(exponent) <= 4:
        n = abs(int(exponent))
        square = ctx.mul(x, x) if n > 1 else x
        raised = {1: x, 2: square}.get(n) or ctx.mul(square, x if n == 3 else square)
        return raised if exponent > 0 else ctx.div(ctx.like(1, x), raised)
    if exponent == 0:
        return ctx.like(1, x)
    if exponent in (0.5, -0.5):
        return ctx.b.node("sqrt" if exponent > 0 else "rsqrt", x)
    return ctx.op("power", x, exponent)


def sinh(ctx: LoweringContext, x: Value) -> Value:
    """(e^x - e^-x) / 2, computed from expm1(|x|), which is exact to the last digits near zero."""
    grown = ctx.b.node("exponential_minus_one", ctx.b.node("abs", x))
    ratio = ctx.div(grown, ctx.add(grown, 1))
    # exp(x) overflows long before its ratio to itself does: that is 1 there.
    safe = ctx.select(ctx.compare(grown, math.inf, "EQ"), 1.0, ratio)
    value = ctx.mul(ctx.add(grown, safe), 0.5)
    return ctx.select(ctx.compare(x, 0, "LT"), ctx.neg(value), value)


def cosh(ctx: LoweringContext, x: Value) -> Value:
    """(e^x + e^-x) / 2."""
    return ctx.mul(ctx.add(ctx.exp(x), ctx.exp(ctx.neg(x))), 0.5)


def asin(ctx: LoweringContext, x: Value) -> Value:
    """atan2(x, sqrt(1 - x^2)); NaN outside [-1, 1]."""
    return ctx.b.node("atan2", x, _opposite(ctx, x))


def acos(ctx: LoweringContext, x: Value) -> Value:
    """atan2(sqrt(1 - x^2), x); NaN outside [-1, 1]."""
    return ctx.b.node("atan2", _opposite(ctx, x), x)


def atan(ctx: LoweringContext, x: Value) -> Value:
    """atan2(x, 1)."""
    return ctx.b.node("atan2", x, ctx.like(1, x))


def _opposite(ctx: LoweringContext, x: Value) -> Value:
    """sqrt((1 - x)(1 + x)): the other side of a right triangle with hypotenuse 1."""
    one = ctx.like(1, x)
    return ctx.b.node("sqrt", ctx.mul(ctx.sub(one, x), ctx.add(one, x)))


def asinh(ctx: LoweringContext, x: Value) -> Value:
    """sign(x) log1p(a + a^2 / (1 + sqrt(a^2 + 1))) with a = |x|."""
    a = ctx.b.node("abs", x)
    square = ctx.mul(a, a)
    root = ctx.b.node("sqrt", ctx.add(square, 1))
    value = ctx.b.node("log_plus_one", ctx.add(a, ctx.div(square, ctx.add(root, 1))))
    return ctx.mul(ctx.b.node("sign", x), value)


def acosh(ctx: LoweringContext, x: Value) -> Value:
    """log(x + sqrt(x - 1) sqrt(x + 1)); NaN below 1."""
    root = ctx.mul(ctx.b.node("sqrt", ctx.sub(x, 1)), ctx.b.node("sqrt", ctx.add(x, 1)))
    return ctx.b.node("log", ctx.add(x, root))


def atanh(ctx: LoweringContext, x: Value) -> Value:
    """(log1p(x) - log1p(-x)) / 2."""
    return ctx.mul(
        ctx.sub(ctx.b.node("log_plus_one", x), ctx.b.node("log_plus_one", ctx.neg(x))), 0.5
    )


def extreme_with_index(
    ctx: LoweringContext, x: Value, dim: int, monoid: str, index: DType
) -> tuple[Value, Value]:
    """The extreme value along `dim` and the index of its first occurrence (of type `index`), by one
    reduction of pairs; a NaN counts as the extreme. `monoid` is "argmax" or "argmin"; both results
    lack `dim`."""
    both = [x, ctx.b.iota(index, x.type.shape, dim)]
    value, place = ctx.b.operation("reduce", both, monoid=monoid, dimensions=(dim,))
    return value, place
