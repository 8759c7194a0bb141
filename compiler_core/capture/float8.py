"""8-bit floating-point numbers, which a graph holds as bytes: decoded to f32, and encoded by
rounding to nearest, ties to even. The formats are those of "FP8 Formats for Deep Learning"
(arXiv:2209.05433). A number beyond the largest one becomes an infinity in e5m2; e4m3fn has no
infinities, and becomes the largest number there, as in torch (2.13)."""

from dataclasses import dataclass

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.ir.graph import Value
from compiler_core.ir.types import F32, U8, U32

_F32_BIAS, _F32_MANTISSA = 127, 23
_F32_INFINITY, _F32_NAN = 0x7F800000, 0x7FC00000
_SIGN, _SIZE, _TO_SIGN = 0x80, 0x7F, 24
_NAN = 0x7F


@dataclass(frozen=True)
class Format:
    """`mantissa` bits follow those of the exponent, which has `bias`. `infinity` is the byte that
    stands for it, None if there is none. Numbers of at least `limit` become the byte `over`."""

    mantissa: int
    bias: int
    infinity: int | None
    limit: float
    over: int

    @property
    def shift(self) -> int:
        """By how many bits the mantissa is shifted from its place in the byte to that in an f32."""
        return _F32_MANTISSA - self.mantissa

    @property
    def rebias(self) -> int:
        """The difference of the exponents' biases, shifted to the exponent's place in an f32."""
        return (_F32_BIAS - self.bias) << _F32_MANTISSA

    @property
    def least_normal(self) -> int:
        """The byte of the smallest normal number."""
        return 1 << self.mantissa

    @property
    def step(self) -> float:
        """The distance between subnormal numbers."""
        return 2.0 ** (1 - self.bias - self.mantissa)


# The limits are half a unit beyond the largest numbers, 448 and 57344.
E4M3FN = Format(mantissa=3, bias=7, infinity=None, limit=464.0, over=0x7E)
E5M2 = Format(mantissa=2, bias=15, infinity=0x7C, limit=61440.0, over=0x7C)


def decoded(ctx: LoweringContext, byte: Value, form: Format) -> Value:
    """The number of each byte, as f32; exact."""
    word = ctx.b.convert(byte, U32)
    size = ctx.op("and", word, _SIZE)
    normal = ctx.add(ctx.op("shift_left", size, form.shift), form.rebias)
    # f32 has them as normal numbers: no target flushes these to zero.
    small = _bits(ctx, ctx.mul(ctx.b.convert(size, F32), form.step))
    bits = ctx.select(ctx.compare(size, form.least_normal, "LT"), small, normal)
    if form.infinity is None:
        bits = ctx.select(ctx.compare(size, _NAN, "EQ"), _F32_NAN, bits)
    else:
        bits = ctx.select(ctx.compare(size, form.infinity, "EQ"), _F32_INFINITY, bits)
        bits = ctx.select(ctx.compare(size, form.infinity, "GT"), _F32_NAN, bits)
    sign = ctx.op("shift_left", ctx.op("and", word, _SIGN), _TO_SIGN)
    return ctx.b.node("bitcast_convert", ctx.b.node("or", bits, sign), dtype=F32)


def encoded(ctx: LoweringContext, x: Value, form: Format) -> Value:
    """The byte of the nearest number to each f32."""
    bits = _bits(ctx, x)
    size = ctx.op("and", bits, 0x7FFFFFFF)
    magnitude = ctx.b.node("bitcast_convert", size, dtype=F32)
    normal = _rounded(ctx, size, form)
    small = ctx.b.convert(ctx.b.node("round_nearest_even", ctx.mul(magnitude, 1 / form.step)), U32)
    least = form.step * form.least_normal
    byte = ctx.select(ctx.compare(magnitude, least, "LT"), small, normal)
    byte = ctx.select(ctx.compare(magnitude, form.limit, "GE"), form.over, byte)
    byte = ctx.select(ctx.compare(size, _F32_INFINITY, "GT"), _NAN, byte)
    sign = ctx.op("and", ctx.op("shift_right_logical", bits, _TO_SIGN), _SIGN)
    return ctx.b.convert(ctx.b.node("or", byte, sign), U8)


def _rounded(ctx: LoweringContext, size: Value, form: Format) -> Value:
    """Of the bits of a normal number, those that the format has: half of the last one is added,
    less a bit where the last one is 0."""
    odd = ctx.op("and", ctx.op("shift_right_logical", size, form.shift), 1)
    half = (1 << (form.shift - 1)) - 1
    sum_ = ctx.add(ctx.sub(ctx.add(size, half), form.rebias), odd)
    return ctx.op("shift_right_logical", sum_, form.shift)


def _bits(ctx: LoweringContext, x: Value) -> Value:
    return ctx.b.node("bitcast_convert", x, dtype=U32)
