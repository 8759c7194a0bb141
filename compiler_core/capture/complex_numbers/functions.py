"""Functions of complex numbers as formulas over their parts: a + bi, or x + iy."""

import math

from compiler_core.capture import formulas
from compiler_core.capture.complex_numbers import arithmetic
from compiler_core.capture.complex_numbers.arithmetic import Formula
from compiler_core.capture.complex_numbers.value import Complex, ComplexContext
from compiler_core.ir.graph import Value

# From this magnitude on tanh is 1 to the last digit, in f64 too.
_LARGE = 20.0


def polar(ctx: ComplexContext, size: Value, angle: Value) -> Complex:
    """size (cos angle + i sin angle)."""
    return Complex(
        ctx.mul(size, ctx.b.node("cosine", angle)), ctx.mul(size, ctx.b.node("sine", angle))
    )


def exp(ctx: ComplexContext, z: Complex) -> Complex:
    """e^a (cos b + i sin b). An imaginary part that is zero stays that zero, also where e^a is
    infinite."""
    value = polar(ctx, ctx.exp(z.re), z.im)
    return Complex(value.re, ctx.select(ctx.compare(z.im, 0, "EQ"), z.im, value.im))


def exp_at_infinities(ctx: ComplexContext, z: Complex) -> Complex:
    """As `exp`, with the values of C99 (annex G.6.3.1) where b is infinite or NaN: 0 for a = -inf,
    and an infinite real part for a = inf."""
    value, vague = exp(ctx, z), ctx.b.node("not", ctx.b.node("is_finite", z.im))
    gone = ctx.b.node("and", vague, ctx.compare(z.re, -math.inf, "EQ"))
    grown = ctx.b.node("and", vague, ctx.compare(z.re, math.inf, "EQ"))
    re = ctx.select(gone, 0, ctx.select(grown, math.inf, value.re))
    return Complex(re, ctx.select(gone, 0, value.im))


def expm1(ctx: ComplexContext, z: Complex) -> Complex:
    """(e^a - 1) cos b - 2 sin(b/2)^2 + i e^a sin b: nothing cancels near zero."""
    half = ctx.b.node("sine", ctx.mul(z.im, 0.5))
    grown = ctx.b.node("exponential_minus_one", z.re)
    re = ctx.sub(ctx.mul(grown, ctx.b.node("cosine", z.im)), ctx.mul(ctx.mul(half, half), 2))
    return Complex(re, exp(ctx, z).im)


def log(ctx: ComplexContext, z: Complex) -> Complex:
    """log|z| + i angle(z)."""
    return Complex(_log_size(ctx, z), arithmetic.angle(ctx, z))


def _log_size(ctx: ComplexContext, z: Complex) -> Value:
    """log|z|; where |z| is near 1, log1p((m - 1)(m + 1) + n^2) / 2 with m, n the greater and the
    smaller part, which cancels less (Hull, Fairgrieve and Tang, "Implementing complex elementary
    functions using exception handling", 1994)."""
    m, n = sorted_sizes(ctx, z)
    beyond = ctx.add(ctx.mul(ctx.sub(m, 1), ctx.add(m, 1)), ctx.mul(n, n))
    near = ctx.mul(ctx.b.node("log_plus_one", beyond), 0.5)
    is_near = ctx.compare(ctx.b.node("abs", beyond), 0.5, "LT")
    factor, exponent = _to_middle(ctx, m)
    size = arithmetic.absolute(ctx, arithmetic.scale(ctx, z, factor))
    far = ctx.sub(ctx.b.node("log", size), ctx.mul(exponent, math.log(2)))
    return ctx.select(is_near, near, far)


def _to_middle(ctx: ComplexContext, size: Value) -> tuple[Value, Value]:
    """A power of two, and its exponent, by which a number of this size can be multiplied so that
    its absolute value neither overflows nor loses digits as a denormal."""
    tiny, big = ctx.compare(size, 2.0**-100, "LT"), ctx.compare(size, 1, "GT")
    factor = ctx.select(tiny, 2.0**48, ctx.select(big, 0.25, 1, like=size))
    return factor, ctx.select(tiny, 48, ctx.select(big, -2, 0, like=size))


def sorted_sizes(ctx: ComplexContext, z: Complex) -> tuple[Value, Value]:
    """The larger and the smaller magnitude of the two parts."""
    sizes = [ctx.b.node("abs", part) for part in (z.re, z.im)]
    return ctx.b.node("maximum", *sizes), ctx.b.node("minimum", *sizes)


def log1p(ctx: ComplexContext, z: Complex) -> Complex:
    """log(1 + z): log1p(a (2 + a) + b^2) / 2 where z is small."""
    moved = Complex(ctx.add(z.re, 1), z.im)
    beyond = ctx.add(ctx.mul(z.re, ctx.add(z.re, 2)), ctx.mul(z.im, z.im))
    near = ctx.mul(ctx.b.node("log_plus_one", beyond), 0.5)
    is_near = ctx.compare(ctx.b.node("abs", beyond), 0.5, "LT")
    value = log(ctx, moved)
    return Complex(ctx.select(is_near, near, value.re), value.im)


def log_base(base: float) -> Formula:
    """The formula log(z) / log(base), for a real base."""
    return lambda ctx, z: arithmetic.scale(ctx, log(ctx, z), 1 / math.log(base))


def sqrt(ctx: ComplexContext, z: Complex) -> Complex:
    """t = sqrt((|a| + |z|) / 2) and b / 2t, exchanged where a is negative; scaled by powers of two,
    so that |z| does not overflow. Both parts are infinite where b is."""
    size = ctx.b.node("abs", z.im)
    tiny = ctx.compare(sorted_sizes(ctx, z)[0], 2.0**-100, "LT")
    scaled = arithmetic.scale(ctx, z, ctx.select(tiny, 2.0**45, 0.125, like=size))
    both = ctx.add(ctx.b.node("abs", scaled.re), arithmetic.absolute(ctx, scaled))
    t = ctx.mul(ctx.b.node("sqrt", both), ctx.select(tiny, 2.0**-23, 2, like=size))
    endless = ctx.compare(size, math.inf, "EQ")
    t = ctx.select(endless, size, t)
    kept = ctx.b.node("or", ctx.compare(t, 0, "EQ"), endless)
    other = ctx.select(kept, size, ctx.div(size, ctx.mul(t, 2)))
    right = ctx.compare(z.re, 0, "GE")
    im = with_sign(ctx, ctx.select(right, other, t), z.im)
    return Complex(ctx.select(right, t, other), im)


def with_sign(ctx: ComplexContext, size: Value, of: Value) -> Value:
    """`size`, which is not negative, with the sign of `of`; a zero has its sign too."""
    below = ctx.compare(of, 0, "LT")
    zero = ctx.compare(of, 0, "EQ")
    # A zero of each sign is told from the other by its inverse.
    inverse = ctx.div(ctx.like(1, of), ctx.select(zero, of, 1))
    negative = ctx.select(zero, ctx.compare(inverse, 0, "LT"), below)
    return ctx.select(negative, ctx.neg(size), size)


def power(ctx: ComplexContext, z: Complex, exponent: Complex) -> Complex:
    """e^(exponent log z)."""
    return exp(ctx, arithmetic.mul(ctx, exponent, log(ctx, z)))


def _times(ctx: ComplexContext, x: Value, y: Value, kept: Value) -> Value:
    """x y, and 0 where `kept` is 0 and the other infinite or no number."""
    value = ctx.mul(x, y)
    lost = ctx.b.node("and", ctx.is_nan(value), ctx.compare(kept, 0, "EQ"))
    return ctx.select(lost, 0, value)


def sinh(ctx: ComplexContext, z: Complex) -> Complex:
    """sinh x cos y + i cosh x sin y."""
    sine, cosine = ctx.b.node("sine", z.im), ctx.b.node("cosine", z.im)
    im = _times(ctx, formulas.cosh(ctx, z.re), sine, z.im)
    return Complex(ctx.mul(formulas.sinh(ctx, z.re), cosine), im)


def cosh(ctx: ComplexContext, z: Complex) -> Complex:
    """cosh x cos y + i sinh x sin y."""
    sine, cosine = ctx.b.node("sine", z.im), ctx.b.node("cosine", z.im)
    im = _times(ctx, formulas.sinh(ctx, z.re), sine, z.im)
    return Complex(ctx.mul(formulas.cosh(ctx, z.re), cosine), im)


def tanh(ctx: ComplexContext, z: Complex) -> Complex:
    """(sinh x cosh x + i sin y cos y) / (sinh(x)^2 + cos(y)^2); for large |x|, +-1 and the limit 4
    sin y cos y e^-2|x| of the imaginary part."""
    sine, cosine = ctx.b.node("sine", z.im), ctx.b.node("cosine", z.im)
    size = ctx.b.node("abs", z.re)
    large = ctx.compare(size, _LARGE, "GT")
    x = ctx.select(large, 0, z.re)
    grown, turned = formulas.sinh(ctx, x), ctx.mul(sine, cosine)
    divisor = ctx.add(ctx.mul(grown, grown), ctx.mul(cosine, cosine))
    re = ctx.div(ctx.mul(grown, formulas.cosh(ctx, x)), divisor)
    shrunk = ctx.exp(ctx.mul(size, -2))
    rest = _times(ctx, ctx.mul(turned, 4), shrunk, shrunk)
    im = ctx.select(large, rest, ctx.div(turned, divisor))
    return Complex(ctx.select(large, ctx.b.node("sign", z.re), re), im)


# -- where the real part is 0, C99 (annex G.6.2) has no NaN in what is then 0


def odd_at_zero(ctx: ComplexContext, z: Complex, value: Complex) -> Complex:
    """`value`, the result of an odd function, with z's own real part where that is 0."""
    lost = ctx.b.node("and", ctx.is_nan(value.re), ctx.compare(z.re, 0, "EQ"))
    return Complex(ctx.select(lost, z.re, value.re), value.im)


def even_at_zero(ctx: ComplexContext, z: Complex, value: Complex) -> Complex:
    """`value`, the result of an even function, with an imaginary part of 0 where z's real part is
    0."""
    lost = ctx.b.node("and", ctx.is_nan(value.im), ctx.compare(z.re, 0, "EQ"))
    return Complex(value.re, ctx.select(lost, 0, value.im))


def with_positive_zeros(ctx: ComplexContext, z: Complex) -> Complex:
    """z without the signs of zeros, which XLA ignores at branch cuts."""
    return z.each(lambda part: ctx.select(ctx.compare(part, 0, "EQ"), 0, part))
