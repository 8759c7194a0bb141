"""Inverse trigonometric and hyperbolic functions of complex numbers.

Source of the formulas and of their branch cuts: Kahan, "Branch cuts for complex elementary
functions, or much ado about nothing's sign bit" (1987). For large numbers, whose squares would
overflow, they become log(2z) and the like, which is exact to the last digit there.
"""

import math
from collections.abc import Callable

from compiler_core.capture import formulas
from compiler_core.capture.complex_numbers.arithmetic import (
    conj,
    is_infinite,
    mul,
    reciprocal,
    turned,
)
from compiler_core.capture.complex_numbers.functions import log, sorted_sizes, sqrt, with_sign
from compiler_core.capture.complex_numbers.value import Complex, ComplexContext
from compiler_core.ir.graph import Value

# From this magnitude on 1 is lost beside the square, in f64 too.
_LARGE = 1e9
# Below this magnitude the square may underflow.
_TINY = 1e-10


def _beyond(
    ctx: ComplexContext, z: Complex, value: Complex, large: Callable[[Value, Value], Complex]
) -> Complex:
    """`value`; where z is large, what `large` makes of log(2|z|) and |y|."""
    is_large = ctx.compare(sorted_sizes(ctx, z)[0], _LARGE, "GT")
    size = ctx.add(log(ctx, z).re, math.log(2))
    return ctx.choose(is_large, large(size, ctx.b.node("abs", z.im)), value)


def _roots(ctx: ComplexContext, z: Complex) -> tuple[Complex, Complex]:
    """sqrt(1 - z) and sqrt(1 + z)."""
    one = ctx.like(1, z.re)
    below = Complex(ctx.sub(one, z.re), ctx.neg(z.im))
    return sqrt(ctx, below), sqrt(ctx, Complex(ctx.add(z.re, 1), z.im))


def asin(ctx: ComplexContext, z: Complex) -> Complex:
    """atan2(x, Re(r s)) + i asinh(Im(conj(r) s)) with r = sqrt(1 - z), s = sqrt(1 + z)."""
    r, s = _roots(ctx, z)
    re = ctx.b.node("atan2", z.re, mul(ctx, r, s).re)
    value = Complex(re, formulas.asinh(ctx, mul(ctx, conj(ctx, r), s).im))
    return _beyond(
        ctx, z, value,
        lambda size, y: Complex(ctx.b.node("atan2", z.re, y), with_sign(ctx, size, z.im)),
    )  # fmt: skip


def acos(ctx: ComplexContext, z: Complex) -> Complex:
    """2 atan2(Re r, Re s) + i asinh(Im(conj(s) r)) with r = sqrt(1 - z), s = sqrt(1 + z)."""
    r, s = _roots(ctx, z)
    re = ctx.mul(ctx.b.node("atan2", r.re, s.re), 2)
    value = Complex(re, formulas.asinh(ctx, mul(ctx, conj(ctx, s), r).im))
    return _beyond(
        ctx, z, value,
        lambda size, y: Complex(
            ctx.b.node("atan2", y, z.re), ctx.neg(with_sign(ctx, size, z.im))
        ),
    )  # fmt: skip


def acosh(ctx: ComplexContext, z: Complex) -> Complex:
    """asinh(Re(conj(r) s)) + 2i atan2(Im r, Re s) with r = sqrt(z - 1), s = sqrt(z + 1)."""
    r = sqrt(ctx, Complex(ctx.sub(z.re, 1), z.im))
    s = sqrt(ctx, Complex(ctx.add(z.re, 1), z.im))
    re = formulas.asinh(ctx, mul(ctx, conj(ctx, r), s).re)
    value = Complex(re, ctx.mul(ctx.b.node("atan2", r.im, s.re), 2))
    return _beyond(ctx, z, value, lambda size, _: Complex(size, ctx.b.node("atan2", z.im, z.re)))


def atanh(ctx: ComplexContext, z: Complex) -> Complex:
    """log1p(4|x| / ((1 - |x|)^2 + y^2)) / 4 with the sign of x, and half the angle between 1 + z
    and 1 - z. For large z the real part is Re(1 / z); next to 1, where y^2 vanishes, log(2 / |y|) /
    2."""
    x, y = (ctx.b.node("abs", part) for part in (z.re, z.im))
    gap = ctx.sub(ctx.like(1, x), x)
    distance = ctx.add(ctx.mul(gap, gap), ctx.mul(y, y))
    size = ctx.mul(ctx.b.node("log_plus_one", ctx.div(ctx.mul(x, 4), distance)), 0.25)
    is_one = ctx.b.node("and", ctx.compare(gap, 0, "EQ"), ctx.compare(y, _TINY, "LT"))
    at_one = ctx.mul(ctx.sub(ctx.like(math.log(2), y), ctx.b.node("log", y)), 0.5)
    size = ctx.select(is_one, at_one, size)
    small = ctx.select(is_infinite(ctx, z), 0, reciprocal(ctx, Complex(x, y)).re)
    is_large = ctx.compare(sorted_sizes(ctx, z)[0], _LARGE, "GT")
    re = ctx.mul(ctx.b.node("sign", z.re), ctx.select(is_large, small, size))
    return Complex(re, ctx.mul(_angle(ctx, z), 0.5))


def _angle(ctx: ComplexContext, z: Complex) -> Value:
    one = ctx.like(1, z.re)
    above = ctx.b.node("atan2", z.im, ctx.add(one, z.re))
    return ctx.add(above, ctx.b.node("atan2", z.im, ctx.sub(one, z.re)))


asinh = turned(asin)
atan = turned(atanh)
