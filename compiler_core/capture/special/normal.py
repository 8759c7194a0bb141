"""Functions of the normal distribution: its quantiles, the logarithm of its probabilities, and the
scaled complementary error function. The quantiles are after the Cephes Mathematical Library
(ndtri.c)."""

import math

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.special import tables as t
from compiler_core.capture.special.approximations import chebyshev, ratio
from compiler_core.ir.graph import Value

_E_MINUS_2 = 0.13533528323661269189


def erfcx(ctx: LoweringContext, x: Value) -> Value:
    """e^(x^2) erfc(x): a Chebyshev series for x >= 0, and 2 e^(x^2) - erfcx(-x) below."""
    a = ctx.b.node("abs", x)
    y = ctx.div(ctx.like(4.0, x), ctx.add(a, 4.0))
    right = ctx.mul(y, chebyshev(ctx, ctx.sub(ctx.mul(y, 4.0), 2.0), t.ERFCX))
    left = ctx.sub(ctx.mul(ctx.exp(ctx.mul(x, x)), 2.0), right)
    return ctx.select(ctx.compare(x, 0.0, "LT"), left, right)


def log_ndtr(ctx: LoweringContext, x: Value) -> Value:
    """The logarithm of the probability that a standard normal variable is below x: from x = -1 on
    log1p(-erfc(x / sqrt(2)) / 2), below log(erfcx(-x / sqrt(2)) / 2) - x^2 / 2, where erfc alone
    would be lost."""
    scaled = ctx.mul(x, math.sqrt(0.5))
    tail = ctx.b.node("log", ctx.mul(erfcx(ctx, ctx.neg(scaled)), 0.5))
    left = ctx.sub(tail, ctx.mul(scaled, scaled))
    right = ctx.b.node("log_plus_one", ctx.mul(ctx.b.node("erfc", scaled), -0.5))
    return ctx.select(ctx.compare(x, -1.0, "LT"), left, right)


def ndtri(ctx: LoweringContext, y: Value) -> Value:
    """The quantile: the number below which a standard normal variable is with probability y; NaN
    outside of [0, 1]."""
    upper = ctx.compare(y, 1 - _E_MINUS_2, "GT")
    tail = ctx.select(upper, ctx.sub(ctx.like(1.0, y), y), y)
    value = ctx.select(ctx.compare(tail, _E_MINUS_2, "GT"), _middle(ctx, tail), _tail(ctx, tail))
    outer = ctx.b.node("and", upper, ctx.compare(tail, _E_MINUS_2, "LE"))
    value = ctx.select(outer, ctx.neg(value), value)
    value = ctx.select(ctx.compare(y, 0.0, "EQ"), -math.inf, value)
    value = ctx.select(ctx.compare(y, 1.0, "EQ"), math.inf, value)
    outside = ctx.b.node("or", ctx.compare(y, 0.0, "LT"), ctx.compare(y, 1.0, "GT"))
    return ctx.select(outside, math.nan, value)


def _middle(ctx: LoweringContext, y: Value) -> Value:
    y = ctx.sub(y, 0.5)
    square = ctx.mul(y, y)
    series = ctx.mul(square, ratio(ctx, square, t.NDTRI_P0, t.NDTRI_Q0))
    return ctx.mul(ctx.add(y, ctx.mul(y, series)), math.sqrt(2 * math.pi))


def _tail(ctx: LoweringContext, y: Value) -> Value:
    x = ctx.b.node("sqrt", ctx.mul(ctx.b.node("log", y), -2.0))
    z = ctx.div(ctx.like(1.0, x), x)
    near, far = (ctx.mul(z, ratio(ctx, z, p, q))
                 for p, q in ((t.NDTRI_P1, t.NDTRI_Q1), (t.NDTRI_P2, t.NDTRI_Q2)))  # fmt: skip
    first = ctx.sub(x, ctx.div(ctx.b.node("log", x), x))
    return ctx.neg(ctx.sub(first, ctx.select(ctx.compare(x, 8.0, "LT"), near, far)))
