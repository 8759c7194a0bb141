"""Functions of the bits of numbers."""

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BF16, DTYPES, F16, F32, F64, DType, TensorType

_MANTISSA = {F64: 52, F32: 23, F16: 10, BF16: 7}


def _bits(ctx: LoweringContext, x: Value, kind: str = "i") -> Value:
    dtype = DTYPES[f"{kind}{x.type.dtype.bits}"]
    return x if x.type.dtype is dtype else ctx.b.node("bitcast_convert", x, dtype=dtype)


def _number(ctx: LoweringContext, bits: Value, dtype: DType) -> Value:
    return ctx.b.node("bitcast_convert", bits, dtype=dtype)


def nextafter(ctx: LoweringContext, x: Value, y: Value) -> Value:
    """The number next to x in the direction of y: its bits as an integer, one more or one less."""
    dtype = x.type.dtype
    away = ctx.b.node("xor", ctx.compare(x, y, "GT"), ctx.compare(x, 0.0, "GT"))
    bits = _bits(ctx, x)
    step = ctx.select(away, ctx.add(bits, 1), ctx.sub(bits, 1))
    value = _number(ctx, step, dtype)
    least = _number(ctx, ctx.like(1, bits), dtype)
    from_zero = ctx.select(ctx.compare(y, 0.0, "LT"), ctx.neg(least), least)
    value = ctx.select(ctx.compare(x, 0.0, "EQ"), from_zero, value)
    value = ctx.select(ctx.compare(x, y, "EQ"), y, value)
    none = ctx.b.node("or", ctx.is_nan(x), ctx.is_nan(y))
    return ctx.select(none, float("nan"), value)


def frexp(ctx: LoweringContext, x: Value) -> tuple[Value, Value]:
    """(m, e) with x = m 2^e and 1/2 <= |m| < 1; e is an integer of x's width. For 0, infinities and
    NaN, (x, 0)."""
    dtype, mantissa = x.type.dtype, _MANTISSA[x.type.dtype]
    bias = 2 ** (dtype.bits - mantissa - 2) - 1
    mask = 2 ** (dtype.bits - 1 - mantissa) - 1
    # A denormal number becomes a normal one.
    tiny = ctx.compare(ctx.b.node("abs", x), 2.0 ** (1 - bias), "LT")
    bits = _bits(ctx, ctx.select(tiny, ctx.mul(x, 2.0 ** (mantissa + 1)), x))
    places = ctx.b.node("shift_right_logical", bits, ctx.like(mantissa, bits))
    raised = ctx.b.node("and", places, ctx.like(mask, bits))
    exponent = ctx.sub(raised, bias - 1)
    exponent = ctx.select(tiny, ctx.sub(exponent, mantissa + 1), exponent)
    rest = ctx.b.node("and", bits, ctx.like(~(mask << mantissa), bits))
    half = ctx.b.node("or", rest, ctx.like((bias - 1) << mantissa, bits))
    whole = ctx.compare(ctx.b.node("abs", x), 0.0, "GT")
    usual = ctx.b.node("and", whole, ctx.b.node("is_finite", x))
    return ctx.select(usual, _number(ctx, half, dtype), x), ctx.select(usual, exponent, 0)


def population_count(ctx: LoweringContext, x: Value) -> Value:
    """The number of set bits of an integer, by sums of neighbours, then of pairs, and so on."""
    bits, dtype = _bits(ctx, x, "u"), x.type.dtype
    width = 1
    while width < dtype.bits:
        mask = sum(((1 << width) - 1) << at for at in range(0, dtype.bits, 2 * width))
        low, shift = ctx.like(mask, bits), ctx.like(width, bits)
        upper = ctx.b.node("and", ctx.b.node("shift_right_logical", bits, shift), low)
        bits = ctx.add(ctx.b.node("and", bits, low), upper)
        width *= 2
    return bits if dtype.kind == "uint" else ctx.b.node("bitcast_convert", bits, dtype=dtype)


def leading_zeros(ctx: LoweringContext, x: Value) -> Value:
    """The number of bits of an integer above the highest one that is set; its width for 0."""
    bits, dtype, step = _bits(ctx, x, "u"), x.type.dtype, 1
    while step < dtype.bits:
        shifted = ctx.b.node("shift_right_logical", bits, ctx.like(step, bits))
        bits, step = ctx.b.node("or", bits, shifted), 2 * step
    count = ctx.sub(ctx.like(dtype.bits, bits), population_count(ctx, bits))
    return count if dtype.kind == "uint" else ctx.b.node("bitcast_convert", count, dtype=dtype)


def recast(ctx: LoweringContext, x: Value, dtype: DType) -> Value:
    """The same bits as numbers of another width. Narrower ones are several along a new last
    dimension, the lowest bits first; wider ones combine those along the last dimension."""
    b, words, narrow = ctx.b, _bits(ctx, x, "u"), dtype.bits < x.type.dtype.bits
    unsigned = DTYPES[f"u{dtype.bits}"]
    if narrow:
        shape = (*x.type.shape, x.type.dtype.bits // dtype.bits)
        words = b.broadcast_in_dim(words, shape, range(x.type.rank))
    else:
        words = b.convert(words, unsigned)
    width = min(dtype.bits, x.type.dtype.bits)
    places = ctx.mul(b.iota(words.type.dtype, words.type.shape, words.type.rank - 1), width)
    if narrow:
        low = b.node("shift_right_logical", words, places)
        words = b.convert(ctx.op("and", low, 2**width - 1), unsigned)
    else:
        words = b.reduce(b.node("shift_left", words, places), "or", (x.type.rank - 1,))
    return words if dtype is unsigned else _number(ctx, words, dtype)


def reread(ctx: LoweringContext, x: Value, type_: TensorType) -> Value:
    """The bits of x, in the same order, as a tensor of `type_`: where numbers are wider or narrower
    its last dimension is shorter or longer."""
    old, new = x.type.dtype.bits, type_.dtype.bits
    if old < new:
        x = ctx.b.reshape(x, (*type_.shape, new // old))
    if old != new:
        return ctx.b.reshape(recast(ctx, x, type_.dtype), type_.shape)
    return x if x.type.dtype is type_.dtype else _number(ctx, x, type_.dtype)
