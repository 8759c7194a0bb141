"""The logarithm of the gamma function and its derivatives, and Hurwitz's zeta function, after the
Cephes Mathematical Library. The recurrence moves arguments to where a series converges: without
branches, as many times for all elements as the farthest one needs."""

import math

from compiler_core.capture.formulas import floor, trunc
from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.special.approximations import polynomial, ratio
from compiler_core.capture.special.loops import repeated
from compiler_core.ir.graph import Value

# Stirling's series of ln(gamma), in 1 / x^2; and of ln(gamma(2 + x)) / x in [0, 1).
_STIRLING = (
    8.11614167470508450300e-4, -5.95061904284301438324e-4, 7.93650340457716943945e-4,
    -2.77777777730099687205e-3, 8.33333333333331927722e-2,
)  # fmt: skip
_NEAR_TWO = (
    -1.37825152569120859100e3, -3.88016315134637840924e4, -3.31612992738871184744e5,
    -1.16237097492762307383e6, -1.72173700820839662146e6, -8.53555664245765465627e5,
)  # fmt: skip
_NEAR_TWO_BELOW = (
    1.0, -3.51815701436523470549e2, -1.70642106651881159223e4, -2.20528590553854454839e5,
    -1.13933444367982507207e6, -2.53252307177582951285e6, -2.01889141433532773231e6,
)  # fmt: skip
_PSI = (
    8.33333333333333333333e-2, -2.10927960927960927961e-2, 7.57575757575757575758e-3,
    -4.16666666666666666667e-3, 3.96825396825396825397e-3, -8.33333333333333333333e-3,
    8.33333333333333333333e-2,
)  # fmt: skip
# The factorials of 2k divided by Bernoulli's numbers B_2k.
_BERNOULLI = (
    12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9, 7.47242496e10,
    -2.950130727918164224e12, 1.1646782814350067249e14, -4.5979787224074726105e15,
    1.8152105401943546773e17, -7.1661652561756670113e18,
)  # fmt: skip

_NEAR_ZERO = 1e-18
# The most steps of the recurrence for an argument of zeta below zero.
_ROUNDS = 2**24


def lgamma(ctx: LoweringContext, x: Value) -> Value:
    """ln|gamma(x)|; infinite at the poles."""
    a = ctx.b.node("abs", x)
    value = ctx.select(ctx.compare(a, 13.0, "LT"), _lgamma_low(ctx, a), _lgamma_high(ctx, a))
    value = ctx.select(ctx.compare(a, math.inf, "EQ"), math.inf, value)
    # gamma(-a) gamma(a) = -pi / (a sin(pi a)).
    rest = ctx.sub(a, floor(ctx, a))
    sine = ctx.b.node("sine", ctx.mul(_nearer(ctx, rest), math.pi))
    logs = ctx.add(ctx.b.node("log", a), ctx.b.node("log", sine))
    reflected = ctx.sub(ctx.sub(ctx.like(math.log(math.pi), x), logs), value)
    reflected = ctx.select(ctx.compare(rest, 0.0, "EQ"), math.inf, reflected)
    reflected = ctx.select(ctx.compare(a, math.inf, "EQ"), math.inf, reflected)
    # So near zero both sides are -log(a), and pi a has few digits where it is denormal.
    reflected = ctx.select(ctx.compare(a, _NEAR_ZERO, "LT"), value, reflected)
    return ctx.select(ctx.compare(x, 0.0, "LT"), reflected, value)


def _nearer(ctx: LoweringContext, rest: Value) -> Value:
    """The distance to the nearer whole number, which has the same sine."""
    return ctx.op("minimum", rest, ctx.sub(ctx.like(1.0, rest), rest))


def _lgamma_low(ctx: LoweringContext, x: Value) -> Value:
    """From 0 to 13, moved to [2, 3]: what is multiplied on the way is a factor of the result, or of
    its inverse, which may be larger than any number."""
    factor, low = ctx.like(1.0, x), ctx.compare(x, 2.0, "LT")
    for _ in range(10):
        above = ctx.compare(x, 3.0, "GE")
        x = ctx.select(above, ctx.sub(x, 1.0), x)
        factor = ctx.select(above, ctx.mul(factor, x), factor)
    for _ in range(2):
        below = ctx.compare(x, 2.0, "LT")
        factor = ctx.select(below, ctx.mul(factor, x), factor)
        x = ctx.select(below, ctx.add(x, 1.0), x)
    away, log = ctx.sub(x, 2.0), ctx.b.node("log", factor)
    series = ctx.mul(away, ratio(ctx, away, _NEAR_TWO, _NEAR_TWO_BELOW))
    return ctx.add(ctx.select(low, ctx.neg(log), log), series)


def _lgamma_high(ctx: LoweringContext, x: Value) -> Value:
    inverse = ctx.div(ctx.like(1.0, x), x)
    series = ctx.mul(polynomial(ctx, ctx.mul(inverse, inverse), _STIRLING), inverse)
    main = ctx.sub(ctx.mul(ctx.sub(x, 0.5), ctx.b.node("log", x)), x)
    return ctx.add(ctx.add(main, 0.91893853320467274178), series)


def digamma(ctx: LoweringContext, x: Value) -> Value:
    """The derivative of ln(gamma). At zero, an infinity of the opposite sign; NaN at the other
    poles."""
    below = ctx.compare(x, 0.0, "LT")
    positive = _digamma_above(ctx, ctx.select(below, ctx.sub(ctx.like(1.0, x), x), x))
    rest = ctx.sub(x, trunc(ctx, x))
    turned = ctx.div(ctx.like(math.pi, x), ctx.b.node("tan", ctx.mul(rest, math.pi)))
    pole = ctx.compare(rest, 0.0, "EQ")
    reflected = ctx.select(pole, math.nan, ctx.sub(positive, turned))
    value = ctx.select(below, reflected, positive)
    at_zero = ctx.div(ctx.like(-1.0, x), x)
    return ctx.select(ctx.compare(x, 0.0, "EQ"), at_zero, value)


def _digamma_above(ctx: LoweringContext, x: Value) -> Value:
    """Of positive numbers, moved to 10 or more."""
    total = ctx.like(0.0, x)
    for _ in range(10):
        low = ctx.compare(x, 10.0, "LT")
        total = ctx.select(low, ctx.sub(total, ctx.div(ctx.like(1.0, x), x)), total)
        x = ctx.select(low, ctx.add(x, 1.0), x)
    inverse = ctx.div(ctx.like(1.0, x), x)
    square = ctx.mul(inverse, inverse)
    tail = ctx.add(ctx.mul(inverse, 0.5), ctx.mul(square, polynomial(ctx, square, _PSI)))
    return ctx.add(total, ctx.sub(ctx.b.node("log", x), tail))


def trigamma(ctx: LoweringContext, x: Value) -> Value:
    """The derivative of digamma."""
    left = ctx.compare(x, 0.5, "LT")
    sine = ctx.b.node("sine", ctx.mul(x, math.pi))
    turned = ctx.div(ctx.like(-(math.pi**2), x), ctx.mul(sine, sine))
    total = ctx.select(left, turned, 0.0)
    x = ctx.select(left, ctx.sub(ctx.like(1.0, x), x), x)
    for _ in range(6):
        total = ctx.add(total, ctx.div(ctx.like(1.0, x), ctx.mul(x, x)))
        x = ctx.add(x, 1.0)
    inverse = ctx.div(ctx.like(1.0, x), x)
    square = ctx.mul(inverse, inverse)
    # 1 + 1/2x + 1/6x^2 - 1/30x^4 + 1/42x^6
    series = ctx.mul(polynomial(ctx, square, (1 / 42, -1 / 30, 1 / 6)), square)
    series = ctx.add(ctx.add(series, ctx.mul(inverse, 0.5)), 1.0)
    value = ctx.add(total, ctx.mul(series, inverse))
    return ctx.select(left, ctx.neg(value), value)


def zeta(ctx: LoweringContext, s: Value, q: Value) -> Value:
    """Hurwitz's zeta function: sum over k of (q + k)^-s, for s > 1. Infinite at the poles of q."""
    power = ctx.neg(s)
    at, total = _up_to_zero(ctx, power, q, ctx.b.node("power", q, power))
    last = ctx.like(0.0, q)
    for _ in range(9):
        at = ctx.add(at, 1.0)
        last = ctx.b.node("power", at, power)
        total = ctx.add(total, last)
    total = ctx.add(total, ctx.div(ctx.mul(last, at), ctx.sub(s, 1.0)))
    rest = ctx.sub(_euler_maclaurin(ctx, s, at, last), ctx.mul(last, 0.5))
    # Of terms too small to be told from zero, none is infinitely often as large.
    value = ctx.add(total, ctx.select(ctx.compare(last, 0.0, "EQ"), 0.0, rest))
    whole_q, whole_s = (ctx.compare(v, floor(ctx, v), "EQ") for v in (q, s))
    below = ctx.compare(q, 0.0, "LE")
    value = ctx.select(ctx.b.node("and", below, ctx.b.node("not", whole_s)), math.nan, value)
    value = ctx.select(ctx.b.node("and", below, whole_q), math.inf, value)
    value = ctx.select(ctx.compare(s, 1.0, "LT"), math.nan, value)
    return ctx.select(ctx.compare(s, 1.0, "EQ"), math.inf, value)


def _up_to_zero(ctx: LoweringContext, power: Value, at: Value, total: Value) -> tuple[Value, Value]:
    """With the terms of negative arguments."""

    def below(at: Value, *_: Value) -> Value:
        return ctx.compare(at, 0.0, "LT")

    def step(at: Value, total: Value, power: Value) -> list[Value]:
        after = ctx.add(at, 1.0)
        return [after, ctx.add(total, ctx.b.node("power", after, power))]

    start = ctx.select(ctx.compare(at, -math.inf, "EQ"), 0.0, at)
    found = repeated(ctx, [start, total], [power], below, step, _ROUNDS)
    return found[0], found[1]


def _euler_maclaurin(ctx: LoweringContext, s: Value, at: Value, term: Value) -> Value:
    total, product, k = ctx.like(0.0, s), ctx.like(1.0, s), 0.0
    for number in _BERNOULLI:
        product = ctx.mul(product, ctx.add(s, k))
        term = ctx.div(term, at)
        total = ctx.add(total, ctx.div(ctx.mul(product, term), number))
        product = ctx.mul(product, ctx.add(s, k + 1))
        term = ctx.div(term, at)
        k += 2
    return total


def polygamma(ctx: LoweringContext, order: int, x: Value) -> Value:
    """The derivative of digamma of the given order."""
    if order == 0:
        return digamma(ctx, x)
    if order == 1:
        return trigamma(ctx, x)
    value = zeta(ctx, ctx.like(float(order + 1), x), x)
    return ctx.mul(value, float(math.factorial(order)) * (1 if order % 2 else -1))


def polygamma_of(ctx: LoweringContext, order: Value, x: Value) -> Value:
    """As `polygamma`, for an order that is a value: NaN where it is no whole number."""
    following = ctx.add(order, 1.0)
    size = ctx.mul(ctx.exp(lgamma(ctx, following)), zeta(ctx, following, x))
    half = ctx.mul(order, 0.5)
    even = ctx.compare(half, floor(ctx, half), "EQ")
    value = ctx.select(even, ctx.neg(size), size)
    value = ctx.select(ctx.compare(order, floor(ctx, order), "NE"), math.nan, value)
    return ctx.select(ctx.compare(order, 0.0, "EQ"), digamma(ctx, x), value)
