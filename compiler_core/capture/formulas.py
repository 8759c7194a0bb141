"""Functions that the IR has no operation for, as formulas over those that it has.

Both front ends use them, so that a function is the same IR whichever framework it came from.
"""

import math

from compiler_core.capture.lowering_context import LoweringContext, Number
from compiler_core.ir.graph import Value
from compiler_core.ir.types import DType

# From this magnitude on e^-2x, and 1 / x^2, are lost beside 1, in f64 too.
_LARGE = 20.0
_HUGE = 1e9


def floor(ctx: LoweringContext, x: Value) -> Value:
    """The largest integer that is not above x, in the type of x."""
    return ctx.b.node("floor", x)


def trunc(ctx: LoweringContext, x: Value) -> Value:
    """Rounded towards zero; a zero keeps its sign."""
    return ctx.select(ctx.compare(x, 0, "LT"), ctx.b.node("ceil", x), floor(ctx, x))


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
    """(e^x - e^-x) / 2, computed from expm1(|x|), which is exact to the last digits near zero;
    (e^(|x|/2))^2 / 2 where e^|x| alone may overflow."""
    a = ctx.b.node("abs", x)
    grown = ctx.b.node("exponential_minus_one", a)
    small = ctx.mul(ctx.add(grown, ctx.div(grown, ctx.add(grown, 1))), 0.5)
    root = ctx.exp(ctx.mul(a, 0.5))
    value = ctx.select(ctx.compare(a, _LARGE, "LT"), small, ctx.mul(ctx.mul(root, 0.5), root))
    return ctx.mul(ctx.b.node("sign", x), value)


def cosh(ctx: LoweringContext, x: Value) -> Value:
    """(e^x + e^-x) / 2, from e^(|x|/2): its square overflows only where the result does."""
    root = ctx.exp(ctx.mul(ctx.b.node("abs", x), 0.5))
    half = ctx.like(0.5, x)
    return ctx.add(ctx.mul(ctx.mul(root, half), root), ctx.div(ctx.div(half, root), root))


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
    """sign(x) log1p(a + a^2 / (1 + sqrt(a^2 + 1))) with a = |x|; log(2a) where a^2 may overflow."""
    a = ctx.b.node("abs", x)
    square = ctx.mul(a, a)
    root = ctx.b.node("sqrt", ctx.add(square, 1))
    small = ctx.b.node("log_plus_one", ctx.add(a, ctx.div(square, ctx.add(root, 1))))
    value = ctx.select(ctx.compare(a, _HUGE, "GT"), _log_twice(ctx, a), small)
    return ctx.mul(ctx.b.node("sign", x), value)


def acosh(ctx: LoweringContext, x: Value) -> Value:
    """log(x + sqrt(x - 1) sqrt(x + 1)), log(2x) where the sum may overflow; NaN below 1."""
    root = ctx.mul(ctx.b.node("sqrt", ctx.sub(x, 1)), ctx.b.node("sqrt", ctx.add(x, 1)))
    value = ctx.b.node("log", ctx.add(x, root))
    return ctx.select(ctx.compare(x, _HUGE, "GT"), _log_twice(ctx, x), value)


def _log_twice(ctx: LoweringContext, x: Value) -> Value:
    return ctx.add(ctx.b.node("log", x), math.log(2))


def hypot(ctx: LoweringContext, x: Value, y: Value) -> Value:
    """sqrt(x^2 + y^2) from the ratio of the sides, whose square does not overflow. Infinite where
    a side is, also if the other is NaN."""
    x, y = ctx.b.node("abs", x), ctx.b.node("abs", y)
    most, least = ctx.op("maximum", x, y), ctx.op("minimum", x, y)
    ratio = ctx.div(least, ctx.select(ctx.compare(most, 0, "EQ"), 1, most))
    value = ctx.mul(most, ctx.b.node("sqrt", ctx.add(ctx.mul(ratio, ratio), 1)))
    infinite = [ctx.compare(side, math.inf, "EQ") for side in (x, y)]
    return ctx.select(ctx.b.node("or", *infinite), math.inf, value)


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
