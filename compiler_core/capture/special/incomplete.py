"""The regularized incomplete gamma functions, after the Cephes Mathematical Library: a series where
x is below most of the integral, a continued fraction above, both in f64 since their common factor
is the exponential of a small difference of large numbers."""

import math

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.special.gamma import lgamma
from compiler_core.capture.special.loops import repeated
from compiler_core.ir.graph import Value
from compiler_core.ir.types import F64

_EPSILON = 2.0**-53
_BIG = 2.0**52
_ROUNDS = 2000


def igamma(ctx: LoweringContext, a: Value, x: Value) -> Value:
    """P(a, x), the lower regularized incomplete gamma function: from 0 at x = 0 to 1."""
    return ctx.b.convert(_both(ctx, a, x)[0], x.type.dtype)


def igammac(ctx: LoweringContext, a: Value, x: Value) -> Value:
    """Q(a, x) = 1 - P(a, x), the upper regularized incomplete gamma function."""
    return ctx.b.convert(_both(ctx, a, x)[1], x.type.dtype)


def _both(ctx: LoweringContext, a: Value, x: Value) -> tuple[Value, Value]:
    a, x = ctx.cast(a, F64), ctx.cast(x, F64)
    above = ctx.b.node("and", ctx.compare(x, 1.0, "GT"), ctx.b.compare(x, a, "GT"))
    # What is decided without either is kept out of their rounds.
    usual = ctx.b.node("and", ctx.compare(a, 0.0, "GT"), ctx.compare(x, 0.0, "GT"))
    usual = ctx.b.node("and", usual, ctx.b.node("is_finite", ctx.add(a, x)))
    a_in, x_in = ctx.select(usual, a, 1.0), ctx.select(usual, x, 1.0)
    log = ctx.sub(ctx.mul(a_in, ctx.b.node("log", x_in)), x_in)
    factor = ctx.exp(ctx.sub(log, lgamma(ctx, a_in)))
    below = ctx.b.node("not", above)
    low = ctx.mul(ctx.div(_series(ctx, a_in, x_in, below), a_in), factor)
    high = ctx.mul(_fraction(ctx, a_in, x_in, above), factor)
    lower = ctx.select(above, ctx.sub(ctx.like(1.0, x), high), low)
    upper = ctx.select(above, high, ctx.sub(ctx.like(1.0, x), low))
    return _ends(ctx, a, x, usual, lower, 1.0), _ends(ctx, a, x, usual, upper, 0.0)


def _ends(
    ctx: LoweringContext, a: Value, x: Value, usual: Value, value: Value, whole: float
) -> Value:
    """`whole` of all of the integral, 1 - `whole` of none of it; NaN where there is no integral."""
    infinite_a, infinite_x = (ctx.compare(v, math.inf, "EQ") for v in (a, x))
    zero_a, zero_x = (ctx.compare(v, 0.0, "EQ") for v in (a, x))
    all_of_it = ctx.b.node("or", infinite_x, zero_a)
    edge = ctx.select(all_of_it, whole, 1 - whole, like=x)
    none = ctx.b.node("or", ctx.compare(a, 0.0, "LT"), ctx.compare(x, 0.0, "LT"))
    for both in ((zero_a, zero_x), (infinite_a, infinite_x)):
        none = ctx.b.node("or", none, ctx.b.node("and", *both))
    unknown = ctx.b.node("or", ctx.is_nan(a), ctx.is_nan(x))
    edge = ctx.select(ctx.b.node("or", none, unknown), math.nan, edge)
    return ctx.select(usual, value, edge)


def _series(ctx: LoweringContext, a: Value, x: Value, wanted: Value) -> Value:
    """1 + x / (a + 1) + x^2 / ((a + 1)(a + 2)) + ..., as far as a term counts."""
    one = ctx.like(1.0, x)

    def left(n: Value, term: Value, total: Value, *_: Value) -> Value:
        return ctx.compare(term, ctx.mul(total, _EPSILON), "GT")

    def step(n: Value, term: Value, total: Value, x: Value) -> list[Value]:
        n = ctx.add(n, 1.0)
        term = ctx.mul(term, ctx.div(x, n))
        return [n, term, ctx.add(total, term)]

    start = ctx.select(wanted, one, 0.0)
    return repeated(ctx, [a, start, one], [x], left, step, _ROUNDS)[2]


def _fraction(ctx: LoweringContext, a: Value, x: Value, wanted: Value) -> Value:
    """Of the upper one, by its numerators and denominators, made smaller together."""
    one = ctx.like(1.0, x)
    y = ctx.sub(one, a)
    z = ctx.add(ctx.add(x, y), 1.0)
    p, q = ctx.add(x, 1.0), ctx.mul(z, x)
    # More than nothing is left to gain where it is wanted.
    gain = ctx.select(wanted, one, 0.0)
    state = [ctx.div(p, q), gain, p, q, one, x, ctx.like(0.0, x), y, z]

    def left(value: Value, gain: Value, *_: Value) -> Value:
        return ctx.compare(gain, _EPSILON, "GT")

    def step(value: Value, gain: Value, *rest: Value) -> list[Value]:
        p, q, p_old, q_old, c, y, z = rest
        c, y, z = ctx.add(c, 1.0), ctx.add(y, 1.0), ctx.add(z, 2.0)
        product = ctx.mul(y, c)
        p_new, q_new = (
            ctx.sub(ctx.mul(v, z), ctx.mul(old, product)) for v, old in ((p, p_old), (q, q_old))
        )
        found = ctx.div(p_new, q_new)
        good = ctx.compare(q_new, 0.0, "NE")
        change = ctx.b.node("abs", ctx.div(ctx.sub(value, found), found))
        gain = ctx.select(good, change, 1.0)
        scale = ctx.compare(ctx.b.node("abs", p_new), _BIG, "GT")
        shrunk = [ctx.select(scale, ctx.mul(v, 1 / _BIG), v) for v in (p_new, q_new, p, q)]
        return [ctx.select(good, found, value), gain, *shrunk, c, y, z]

    return repeated(ctx, state, [], left, step, _ROUNDS)[0]
