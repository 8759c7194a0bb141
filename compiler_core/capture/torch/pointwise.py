"""ATen's elementwise arithmetic. A rule is called with the arguments in the order of the schema,
defaults filled in: tensors as values, everything else as torch has it."""

from collections.abc import Callable
from typing import Any

from compiler_core.capture.formulas import power, trunc
from compiler_core.capture.lowering_context import LoweringContext, Number, Operand
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Size
from compiler_core.ir.types import BOOL

# A rule returns a value, one for each result, or None if it does not support this form.
TorchRule = Callable[..., Any]


def unary(op: str) -> TorchRule:
    """The rule of an operation that is one IR operation of one operand, in the type of the
    result."""
    return lambda ctx, x, *_: ctx.b.node(op, *ctx.operands(x))


def binary(op: str) -> TorchRule:
    """The rule of an operation that is one IR operation of two operands, in the type of the
    result."""
    return lambda ctx, x, y, *_: ctx.b.node(op, *ctx.operands(x, y))


def composite(formula: Callable[..., Value]) -> TorchRule:
    """The rule of a formula of one tensor, computed in at least f32."""

    def rule(ctx: LoweringContext, x: Value, *args: Any) -> Value:
        return ctx.downcast(formula(ctx, *ctx.upcast(x), *args))

    return rule


# -- arithmetic


def _shift_right(ctx: LoweringContext, x: Operand, y: Operand) -> Value:
    """Of signed numbers the sign comes in from the left."""
    op = "shift_right_logical" if ctx.out.dtype.kind == "uint" else "shift_right_arithmetic"
    return ctx.b.node(op, *ctx.operands(x, y))


def _add(ctx: LoweringContext, x: Operand, y: Operand, alpha: Number = 1) -> Value:
    if ctx.out.dtype is BOOL:
        left, right = ctx.operands(x, y)
        return ctx.b.node("or", left, right) if alpha else left
    if alpha == 1:
        return ctx.b.node("add", *ctx.operands(x, y))
    left, right = ctx.upcast(x, y)
    return ctx.downcast(ctx.add(left, ctx.mul(right, alpha)))


def _sub(ctx: LoweringContext, x: Operand, y: Operand, alpha: Number = 1) -> Value:
    if alpha == 1:
        return ctx.b.node("subtract", *ctx.operands(x, y))
    left, right = ctx.upcast(x, y)
    return ctx.downcast(ctx.sub(left, ctx.mul(right, alpha)))


def _rsub(ctx: LoweringContext, x: Operand, y: Operand, alpha: Number = 1) -> Value:
    return _sub(ctx, y, x, alpha)


def _mul(ctx: LoweringContext, x: Operand, y: Operand) -> Value:
    return ctx.b.node("and" if ctx.out.dtype is BOOL else "multiply", *ctx.operands(x, y))


def _div(ctx: LoweringContext, x: Operand, y: Operand, mode: str | None = None) -> Value:
    if mode is None:
        return ctx.b.node("divide", *ctx.operands(x, y))
    if ctx.out.dtype.is_float:
        x, y = ctx.upcast(x, y)
        floored = mode == "floor"
        return ctx.downcast(_floor_of(ctx, x, y) if floored else trunc(ctx, ctx.div(x, y)))
    left, right = ctx.operands(x, y)
    # The IR's integer division truncates.
    quotient = ctx.div(left, right)
    rest = ctx.sub(left, ctx.mul(quotient, right))
    return quotient if mode == "trunc" else _floored(ctx, rest, right, quotient)


def _floor_of(ctx: LoweringContext, x: Value, y: Value) -> Value:
    """Python's x // y of floats, from the exact rest: 6 // 0.1 is 59, inf // 2 is NaN, and x // 0
    is what x / 0 is."""
    plain = ctx.div(x, y)
    rest = ctx.b.node("remainder", x, y)
    whole = _floored(ctx, rest, y, ctx.div(ctx.sub(x, rest), y))
    # A whole number but for its rounding; of zeros, the one that x / y has the sign of.
    whole = ctx.b.node("round_nearest_even", whole)
    zero = ctx.select(_signbit(ctx, plain), -0.0, 0.0, like=x)
    result = ctx.select(ctx.compare(whole, 0, "EQ"), zero, whole)
    return ctx.select(ctx.compare(y, 0, "EQ"), plain, result)


def _sign(ctx: LoweringContext, x: Value) -> Value:
    """torch's sign of NaN is 0 and of -0.0 is 0.0; the IR's are themselves."""
    if not x.type.dtype.is_float:
        return x if x.type.dtype is BOOL else ctx.b.node("sign", x)
    below = ctx.select(ctx.compare(x, 0, "LT"), -1, 0, like=x)
    return ctx.select(ctx.compare(x, 0, "GT"), 1, below)


def _floored(ctx: LoweringContext, rest: Value, y: Value, quotient: Value) -> Value:
    """A truncated quotient, one less where the remainder has another sign than the divisor."""
    differ = ctx.b.node("xor", ctx.compare(rest, 0, "LT"), ctx.compare(y, 0, "LT"))
    fix = ctx.b.node("and", differ, ctx.compare(rest, 0, "NE"))
    return ctx.select(fix, ctx.sub(quotient, 1), quotient)


def _floor_divide(ctx: LoweringContext, x: Operand, y: Operand) -> Value:
    return _div(ctx, x, y, "floor")


def _remainder(ctx: LoweringContext, x: Operand, y: Operand) -> Value:
    """The sign of the divisor; the IR's has that of the dividend."""
    left, right = ctx.upcast(x, y)
    rest = ctx.b.node("remainder", left, right)
    differ = ctx.b.node("xor", ctx.compare(rest, 0, "LT"), ctx.compare(right, 0, "LT"))
    fix = ctx.b.node("and", differ, ctx.compare(rest, 0, "NE"))
    return ctx.downcast(ctx.select(fix, ctx.add(rest, right), rest))


def _reciprocal(ctx: LoweringContext, x: Value) -> Value:
    (value,) = ctx.operands(x)
    return ctx.div(ctx.like(1, value), value)


def _pow(ctx: LoweringContext, x: Operand, exponent: Operand) -> Value | None:
    if isinstance(x, Value) and not isinstance(exponent, Value):
        if not ctx.out.dtype.is_float and exponent < 0:
            return None
        known = int(exponent) if isinstance(exponent, Size) else exponent
        return ctx.downcast(power(ctx, ctx.upcast(x)[0], known))
    return ctx.downcast(ctx.b.node("power", *ctx.upcast(x, exponent)))


def _addcmul(ctx: LoweringContext, x: Value, y: Value, z: Value, value: Number = 1) -> Value:
    x, y, z = ctx.upcast(x, y, z)
    product = ctx.mul(y, z)
    return ctx.downcast(ctx.add(x, product if value == 1 else ctx.mul(product, value)))


def _addcdiv(ctx: LoweringContext, x: Value, y: Value, z: Value, value: Number = 1) -> Value:
    x, y, z = ctx.upcast(x, y, z)
    return ctx.downcast(ctx.add(x, ctx.div(y if value == 1 else ctx.mul(y, value), z)))


def _lerp(ctx: LoweringContext, x: Value, end: Value, weight: Operand) -> Value:
    """From the nearer end, as torch does, so that weight 1 gives exactly `end`."""
    x, end, w = ctx.upcast(x, end, weight)
    step = ctx.sub(end, x)
    near = ctx.compare(ctx.b.node("abs", w), 0.5, "LT")
    far = ctx.sub(end, ctx.mul(step, ctx.sub(ctx.like(1, w), w)))
    return ctx.downcast(ctx.select(near, ctx.add(x, ctx.mul(w, step)), far))


# -- converting and copying


def _same(ctx: LoweringContext, x: Value, *_: Any) -> Value:
    return ctx.fit(x, ctx.out.dtype, ctx.out.shape)


def _copy(ctx: LoweringContext, x: Value, source: Value, *_: Any) -> Value:
    return ctx.fit(source, ctx.out.dtype, ctx.out.shape)


def _fill(ctx: LoweringContext, x: Value, value: Operand) -> Value:
    return ctx.filled(value)


def _round(ctx: LoweringContext, x: Value, decimals: int = 0) -> Value:
    (value,) = ctx.upcast(x)
    if not ctx.out.dtype.is_float:
        return value
    scale = 10.0**decimals
    rounded = ctx.b.node("round_nearest_even", ctx.mul(value, scale) if decimals else value)
    return ctx.downcast(ctx.div(rounded, scale) if decimals else rounded)


def _whole(op: str) -> TorchRule:
    """Rounding that leaves whole numbers as they are."""
    return lambda ctx, x, *_: ctx.b.node(op, x) if x.type.dtype.is_float else x


def _copysign(ctx: LoweringContext, x: Operand, y: Operand) -> Value:
    magnitude, sign = ctx.operands(x, y)
    magnitude = ctx.b.node("abs", magnitude)
    return ctx.select(_signbit(ctx, sign), ctx.neg(magnitude), magnitude)


def _signbit(ctx: LoweringContext, x: Value) -> Value:
    if not x.type.dtype.is_float:
        return ctx.compare(x, 0, "LT")
    # Tells -0.0 from 0.0 as a comparison with 0 would not.
    return ctx.compare(ctx.b.node("atan2", x, ctx.like(-1, x)), 0, "LT")


def _bitwise_not(ctx: LoweringContext, x: Value) -> Value:
    return ctx.b.node("not", x)


TABLE: dict[str, TorchRule] = {
    "add": _add,
    "sub": _sub,
    "rsub": _rsub,
    "mul": _mul,
    "div": _div,
    "true_divide": _div,
    "floor_divide": _floor_divide,
    "remainder": _remainder,
    "fmod": binary("remainder"),
    "reciprocal": _reciprocal,
    "pow": _pow,
    "square": lambda ctx, x: power(ctx, ctx.operands(x)[0], 2),
    "addcmul": _addcmul,
    "addcdiv": _addcdiv,
    # What TorchDynamo makes of addcmul_ in an optimizer: the C compiler contracts it again.
    "prims::fma": lambda ctx, x, y, z: _addcmul(ctx, z, x, y),
    "lerp": _lerp,
    "maximum": binary("maximum"),
    "minimum": binary("minimum"),
    "max.other": binary("maximum"),
    "min.other": binary("minimum"),
    "atan2": lambda ctx, x, y: ctx.downcast(ctx.b.node("atan2", *ctx.upcast(x, y))),
    "neg": unary("negate"),
    "_neg_view": unary("negate"),
    "abs": lambda ctx, x: x if x.type.dtype is BOOL else ctx.b.node("abs", x),
    "sign": _sign,
    "sgn": _sign,
    "floor": _whole("floor"),
    "ceil": _whole("ceil"),
    "trunc": lambda ctx, x: trunc(ctx, x) if x.type.dtype.is_float else x,
    "fix": lambda ctx, x: trunc(ctx, x) if x.type.dtype.is_float else x,
    "frac": composite(lambda ctx, x: ctx.sub(x, trunc(ctx, x))),
    "round": _round,
    "signbit": _signbit,
    "copysign": _copysign,
    "bitwise_and": binary("and"),
    "bitwise_or": binary("or"),
    "bitwise_xor": binary("xor"),
    "bitwise_not": _bitwise_not,
    **dict.fromkeys(("bitwise_left_shift", "__lshift__"), binary("shift_left")),
    **dict.fromkeys(("bitwise_right_shift", "__rshift__"), _shift_right),
    "clone": _same,
    # TorchDynamo's own for a Python number that has become an input.
    **dict.fromkeys(("_to_copy", "prims::convert_element_type"), _same),
    "copy": _copy,
    "fill": _fill,
    "positive": _same,
    "zero": lambda ctx, x: ctx.like(0, x),
}
