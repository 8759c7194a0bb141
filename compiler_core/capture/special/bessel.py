"""Bessel functions and Airy's, after the Cephes Mathematical Library: Chebyshev series or quotients
of polynomials near zero; far from it the exponential or oscillating factor is computed apart."""

import math
from collections.abc import Callable, Sequence

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.special import tables as t
from compiler_core.capture.special.approximations import chebyshev, polynomial, ratio
from compiler_core.ir.graph import Value

Formula = Callable[[LoweringContext, Value], Value]

_SQRT_2_OVER_PI = math.sqrt(2 / math.pi)
_PI_4 = math.pi / 4
_SQRT_1_OVER_PI = 5.64189583547756286948e-01


def _scaled_i(
    ctx: LoweringContext, x: Value, near: Sequence[float], far: Sequence[float], odd: bool
) -> Value:
    """e^-|x| I(x)."""
    a = ctx.b.node("abs", x)
    low = chebyshev(ctx, ctx.sub(ctx.mul(a, 0.5), 2.0), near)
    low = ctx.mul(low, a) if odd else low
    inverse = ctx.sub(ctx.div(ctx.like(32.0, a), a), 2.0)
    high = ctx.div(chebyshev(ctx, inverse, far), ctx.b.node("sqrt", a))
    value = ctx.select(ctx.compare(a, 8.0, "LE"), low, high)
    return ctx.select(ctx.compare(x, 0.0, "LT"), ctx.neg(value), value) if odd else value


def i0e(ctx: LoweringContext, x: Value) -> Value:
    """e^-|x| I_0(x), the scaled modified Bessel function of order 0."""
    return _scaled_i(ctx, x, t.I0_SMALL, t.I0_LARGE, odd=False)


def i1e(ctx: LoweringContext, x: Value) -> Value:
    """e^-|x| I_1(x), the scaled modified Bessel function of order 1."""
    return _scaled_i(ctx, x, t.I1_SMALL, t.I1_LARGE, odd=True)


def _grown(scaled: Formula) -> Formula:
    return lambda ctx, x: ctx.mul(ctx.exp(ctx.b.node("abs", x)), scaled(ctx, x))


i0, i1 = _grown(i0e), _grown(i1e)


def _k(order: int, scaled: bool) -> Formula:
    near, far = ((t.K0_SMALL, t.K0_LARGE), (t.K1_SMALL, t.K1_LARGE))[order]

    def formula(ctx: LoweringContext, x: Value) -> Value:
        """Infinite at zero, NaN below."""
        # ln(x / 2); half of the least denormal would be 0.
        tiny = ctx.compare(x, 1e-30, "LT")
        log = ctx.b.node("log", ctx.select(tiny, x, ctx.mul(x, 0.5)))
        log = ctx.select(tiny, ctx.sub(log, math.log(2)), log)
        low = chebyshev(ctx, ctx.sub(ctx.mul(x, x), 2.0), near)
        if order == 0:
            low = ctx.sub(low, ctx.mul(log, i0(ctx, x)))
        else:
            low = ctx.add(ctx.mul(log, i1(ctx, x)), ctx.div(low, x))
        inverse = ctx.sub(ctx.div(ctx.like(8.0, x), x), 2.0)
        high = ctx.div(chebyshev(ctx, inverse, far), ctx.b.node("sqrt", x))
        if scaled:
            low = ctx.mul(low, ctx.exp(x))
        else:
            high = ctx.mul(high, ctx.exp(ctx.neg(x)))
        value = ctx.select(ctx.compare(x, 2.0, "LE"), low, high)
        value = ctx.select(ctx.compare(x, 0.0, "EQ"), math.inf, value)
        return ctx.select(ctx.compare(x, 0.0, "LT"), math.nan, value)

    return formula


k0, k1 = _k(0, False), _k(1, False)
scaled_k0, scaled_k1 = _k(0, True), _k(1, True)


# -- of the first and second kind


def _waves(ctx: LoweringContext, x: Value, order: int) -> tuple[Value, Value]:
    """J and Y far from zero."""
    pp, pq, qp, qq = (
        (t.J0_PP, t.J0_PQ, t.J0_QP, t.J0_QQ), (t.J1_PP, t.J1_PQ, t.J1_QP, t.J1_QQ)
    )[order]  # fmt: skip
    inverse = ctx.div(ctx.like(5.0, x), x)
    square = ctx.mul(inverse, inverse)
    even, odd = ratio(ctx, square, pp, pq), ctx.mul(inverse, ratio(ctx, square, qp, qq))
    phase = ctx.sub(x, _PI_4 if order == 0 else 3 * _PI_4)
    cosine, sine = ctx.b.node("cosine", phase), ctx.b.node("sine", phase)
    size = ctx.div(ctx.like(_SQRT_2_OVER_PI, x), ctx.b.node("sqrt", x))
    first = ctx.sub(ctx.mul(even, cosine), ctx.mul(odd, sine))
    second = ctx.add(ctx.mul(even, sine), ctx.mul(odd, cosine))
    return ctx.mul(first, size), ctx.mul(second, size)


def j0(ctx: LoweringContext, x: Value) -> Value:
    """J_0(x), the Bessel function of the first kind of order 0."""
    a = ctx.b.node("abs", x)
    square = ctx.mul(a, a)
    # Between the first two zeros of the function.
    zeros = ctx.mul(
        ctx.sub(square, 5.78318596294678452118), ctx.sub(square, 30.4712623436620863991)
    )
    low = ctx.mul(zeros, ratio(ctx, square, t.J0_RP, t.J0_RQ))
    tiny = ctx.sub(ctx.like(1.0, a), ctx.mul(square, 0.25))
    low = ctx.select(ctx.compare(a, 1e-5, "LT"), tiny, low)
    return ctx.select(ctx.compare(a, 5.0, "LE"), low, _waves(ctx, a, 0)[0])


def j1(ctx: LoweringContext, x: Value) -> Value:
    """J_1(x), the Bessel function of the first kind of order 1."""
    a = ctx.b.node("abs", x)
    square = ctx.mul(a, a)
    zeros = ctx.mul(
        ctx.sub(square, 14.6819706421238932572), ctx.sub(square, 49.2184563216946036703)
    )
    low = ctx.mul(ctx.mul(ratio(ctx, square, t.J1_RP, t.J1_RQ), a), zeros)
    value = ctx.select(ctx.compare(a, 5.0, "LE"), low, _waves(ctx, a, 1)[0])
    return ctx.select(ctx.compare(x, 0.0, "LT"), ctx.neg(value), value)


def _y(order: int) -> Formula:
    def formula(ctx: LoweringContext, x: Value) -> Value:
        """-infinity at zero, NaN below."""
        square, log = ctx.mul(x, x), ctx.b.node("log", x)
        if order == 0:
            part = ctx.mul(log, j0(ctx, x))
            low = ctx.add(ratio(ctx, square, t.Y0_YP, t.Y0_YQ), ctx.mul(part, 2 / math.pi))
        else:
            part = ctx.sub(ctx.mul(j1(ctx, x), log), ctx.div(ctx.like(1.0, x), x))
            own = ctx.mul(x, ratio(ctx, square, t.Y1_YP, t.Y1_YQ))
            low = ctx.add(own, ctx.mul(part, 2 / math.pi))
        value = ctx.select(ctx.compare(x, 5.0, "LE"), low, _waves(ctx, x, order)[1])
        value = ctx.select(ctx.compare(x, 0.0, "EQ"), -math.inf, value)
        return ctx.select(ctx.compare(x, 0.0, "LT"), math.nan, value)

    return formula


y0, y1 = _y(0), _y(1)


def spherical_j0(ctx: LoweringContext, x: Value) -> Value:
    """sin(x) / x; its series near zero."""
    square = ctx.mul(x, x)
    series = [(-1) ** k / math.factorial(2 * k + 1) for k in reversed(range(7))]
    near = polynomial(ctx, square, series)
    far = ctx.div(ctx.b.node("sine", x), x)
    a = ctx.b.node("abs", x)
    value = ctx.select(ctx.compare(a, 0.5, "LT"), near, far)
    return ctx.select(ctx.compare(a, math.inf, "EQ"), 0.0, value)


# -- Airy's


def airy_ai(ctx: LoweringContext, x: Value) -> Value:
    """Ai(x), Airy's function of the first kind."""
    value = ctx.select(ctx.compare(x, 2.09, "GE"), _airy_right(ctx, x), _airy_near(ctx, x))
    value = ctx.select(ctx.compare(x, -2.09, "LT"), _airy_left(ctx, x), value)
    value = ctx.select(ctx.compare(x, 103.892, "GT"), 0.0, value)
    infinite = ctx.compare(ctx.b.node("abs", x), math.inf, "EQ")
    return ctx.select(infinite, math.nan, value)


def _airy_right(ctx: LoweringContext, x: Value) -> Value:
    root = ctx.b.node("sqrt", x)
    power = ctx.div(ctx.mul(ctx.mul(x, 2.0), root), 3.0)
    part = ratio(ctx, ctx.div(ctx.like(1.0, x), power), t.AIRY_AN, t.AIRY_AD)
    below = ctx.mul(ctx.mul(ctx.b.node("sqrt", root), 2.0), ctx.exp(power))
    return ctx.div(ctx.mul(part, _SQRT_1_OVER_PI), below)


def _airy_left(ctx: LoweringContext, x: Value) -> Value:
    away = ctx.neg(x)
    root = ctx.b.node("sqrt", away)
    wave = ctx.div(ctx.mul(ctx.mul(x, -2.0), root), 3.0)
    z = ctx.div(ctx.like(1.0, x), wave)
    square = ctx.mul(z, z)
    even = ctx.add(ctx.mul(square, ratio(ctx, square, t.AIRY_AFN, t.AIRY_AFD)), 1.0)
    odd = ctx.mul(z, ratio(ctx, square, t.AIRY_AGN, t.AIRY_AGD))
    phase = ctx.add(wave, _PI_4)
    sine, cosine = ctx.b.node("sine", phase), ctx.b.node("cosine", phase)
    mixed = ctx.sub(ctx.mul(sine, even), ctx.mul(cosine, odd))
    return ctx.mul(ctx.div(ctx.like(_SQRT_1_OVER_PI, x), ctx.b.node("sqrt", root)), mixed)


def _airy_near(ctx: LoweringContext, x: Value) -> Value:
    """The two power series in x^3, as far as the terms count at 2.09 in f64."""
    cube = ctx.mul(ctx.mul(x, x), x)
    f, g = [1.0], [1.0]
    for k in range(1, 17):
        f.append(f[-1] / ((3 * k - 1) * (3 * k)))
        g.append(g[-1] / ((3 * k) * (3 * k + 1)))
    even, odd = (polynomial(ctx, cube, list(reversed(c))) for c in (f, g))
    return ctx.sub(
        ctx.mul(even, 0.355028053887817239260),
        ctx.mul(ctx.mul(odd, x), 0.258819403792806798405),
    )
