"""Arithmetic of complex numbers as formulas over their parts: a + bi and c + di."""

import math
from collections.abc import Callable

from compiler_core.capture import formulas
from compiler_core.capture.complex_numbers.value import Complex, ComplexContext
from compiler_core.ir.graph import Value

Formula = Callable[[ComplexContext, Complex], Complex]


def add(ctx: ComplexContext, x: Complex, y: Complex) -> Complex:
    """(a + c) + (b + d)i."""
    return Complex(ctx.add(x.re, y.re), ctx.add(x.im, y.im))


def sub(ctx: ComplexContext, x: Complex, y: Complex) -> Complex:
    """(a - c) + (b - d)i."""
    return Complex(ctx.sub(x.re, y.re), ctx.sub(x.im, y.im))


def mul(ctx: ComplexContext, x: Complex, y: Complex) -> Complex:
    """(ac - bd) + (ad + bc)i, without C99's recovery of infinities: as both frameworks."""
    return Complex(
        ctx.sub(ctx.mul(x.re, y.re), ctx.mul(x.im, y.im)),
        ctx.add(ctx.mul(x.re, y.im), ctx.mul(x.im, y.re)),
    )


def scale(ctx: ComplexContext, z: Complex, factor: Value | float) -> Complex:
    """Each part times a real factor."""
    return z.each(lambda part: ctx.mul(part, factor))


def neg(ctx: ComplexContext, z: Complex) -> Complex:
    """-a - bi."""
    return z.each(ctx.neg)


def conj(ctx: ComplexContext, z: Complex) -> Complex:
    """a - bi."""
    return Complex(z.re, ctx.neg(z.im))


def times_i(ctx: ComplexContext, z: Complex) -> Complex:
    """i z, by exchanging the parts."""
    return Complex(ctx.neg(z.im), z.re)


def over_i(ctx: ComplexContext, z: Complex) -> Complex:
    """z / i, by exchanging the parts."""
    return Complex(z.im, ctx.neg(z.re))


def turned(function: Formula, *, back: bool = True) -> Formula:
    """The formula of a circular function from that of a hyperbolic one: `function(iz)`, divided by
    i if `back`."""

    def run(ctx: ComplexContext, z: Complex) -> Complex:
        value = function(ctx, times_i(ctx, z))
        return over_i(ctx, value) if back else value

    return run


def absolute(ctx: ComplexContext, z: Complex) -> Value:
    """|z|, by hypot."""
    return formulas.hypot(ctx, z.re, z.im)


def angle(ctx: ComplexContext, z: Complex) -> Value:
    """The argument of z in radians, from -π to π."""
    return ctx.b.node("atan2", z.im, z.re)


def is_zero(ctx: ComplexContext, z: Complex) -> Value:
    """Whether both parts are 0, of either sign."""
    return ctx.b.node("and", ctx.compare(z.re, 0, "EQ"), ctx.compare(z.im, 0, "EQ"))


def is_nan(ctx: ComplexContext, z: Complex) -> Value:
    """Whether either part is NaN."""
    return ctx.b.node("or", ctx.is_nan(z.re), ctx.is_nan(z.im))


def equal(ctx: ComplexContext, x: Complex, y: Complex) -> Value:
    """Whether both parts are equal; never where one is NaN."""
    return ctx.b.node("and", *(ctx.compare(u, v, "EQ") for u, v in _pairs(x, y)))


def not_equal(ctx: ComplexContext, x: Complex, y: Complex) -> Value:
    """Whether a part differs; always where one is NaN."""
    return ctx.b.node("or", *(ctx.compare(u, v, "NE") for u, v in _pairs(x, y)))


def _pairs(x: Complex, y: Complex) -> tuple[tuple[Value, Value], tuple[Value, Value]]:
    return (x.re, y.re), (x.im, y.im)


def sgn(ctx: ComplexContext, z: Complex) -> Complex:
    """z / |z|, and 0 of 0."""
    size, zero = absolute(ctx, z), is_zero(ctx, z)
    return z.each(lambda part: ctx.select(zero, 0, ctx.div(part, size)))


def div(ctx: ComplexContext, x: Complex, y: Complex) -> Complex:
    """Division as torch does it: by zero, each part is divided by the magnitude of zero."""
    size = ctx.b.node("abs", y.re)
    by_zero = x.each(lambda part: ctx.div(part, size))
    return ctx.choose(is_zero(ctx, y), by_zero, _by_ratio(ctx, x, y))


def _by_ratio(ctx: ComplexContext, x: Complex, y: Complex) -> Complex:
    """Smith, "Algorithm 116: complex division" (1962): with the ratio of the divisor's parts, whose
    squares do not overflow."""
    a, b, c, d = x.re, x.im, y.re, y.im
    re_larger = ctx.compare(ctx.b.node("abs", c), ctx.b.node("abs", d), "GE")
    most, least = ctx.select(re_larger, c, d), ctx.select(re_larger, d, c)
    ratio = ctx.div(least, most)
    divisor = ctx.add(most, ctx.mul(least, ratio))
    first, second = ctx.select(re_larger, a, b), ctx.select(re_larger, b, a)
    re = ctx.div(ctx.add(first, ctx.mul(second, ratio)), divisor)
    cross = ctx.sub(second, ctx.mul(first, ratio))
    return Complex(re, ctx.div(ctx.select(re_larger, cross, ctx.neg(cross)), divisor))


def div_recovering(ctx: ComplexContext, x: Complex, y: Complex) -> Complex:
    """Division as XLA does it, with the values of C99 (annex G.5.1) for a zero divisor and for
    infinite parts."""
    by_zero = x.each(lambda part: ctx.div(part, y.re))
    value = _by_ratio(ctx, x, y)
    huge = scale(ctx, mul(ctx, _ones_of_infinities(ctx, x), conj(ctx, y)), math.inf)
    none = scale(ctx, mul(ctx, x, conj(ctx, _ones_of_infinities(ctx, y))), 0.0)
    endless = ctx.b.node("and", is_infinite(ctx, x), is_finite(ctx, y))
    vanishing = ctx.b.node("and", is_finite(ctx, x), is_infinite(ctx, y))
    value = ctx.choose(endless, huge, ctx.choose(vanishing, none, value))
    return ctx.choose(is_zero(ctx, y), by_zero, value)


def _ones_of_infinities(ctx: ComplexContext, z: Complex) -> Complex:
    """+-1 for each infinite part, 0 for the others."""
    sizes = z.each(lambda part: ctx.b.node("abs", part))
    ones = z.each(lambda part: ctx.b.node("sign", part))
    infinite = sizes.each(lambda size: ctx.compare(size, math.inf, "EQ"))
    return Complex(
        ctx.select(infinite.re, ones.re, ctx.mul(ones.re, 0)),
        ctx.select(infinite.im, ones.im, ctx.mul(ones.im, 0)),
    )


def reciprocal(ctx: ComplexContext, z: Complex) -> Complex:
    """1 / z, computed as `div` does."""
    return div(ctx, ctx.number(1, z), z)


def square(ctx: ComplexContext, z: Complex) -> Complex:
    """(a - b)(a + b) + 2abi, which overflows less often than z z."""
    re = ctx.mul(ctx.sub(z.re, z.im), ctx.add(z.re, z.im))
    return Complex(re, ctx.mul(ctx.mul(z.re, z.im), 2))


def whole_power(ctx: ComplexContext, z: Complex, exponent: int) -> Complex:
    """z^exponent for `exponent` >= 0, by repeated squaring."""
    result: Complex | None = None
    factor, left = z, exponent
    while left:
        if left & 1:
            result = factor if result is None else mul(ctx, result, factor)
        left >>= 1
        factor = mul(ctx, factor, factor) if left else factor
    return ctx.number(1, z) if result is None else result


def is_infinite(ctx: ComplexContext, z: Complex) -> Value:
    """Whether either part is infinite."""
    sizes = (ctx.b.node("abs", part) for part in (z.re, z.im))
    return ctx.b.node("or", *(ctx.compare(size, math.inf, "EQ") for size in sizes))


def is_finite(ctx: ComplexContext, z: Complex) -> Value:
    """Whether neither part is infinite or NaN."""
    return ctx.b.node("and", *(ctx.b.node("is_finite", part) for part in (z.re, z.im)))
