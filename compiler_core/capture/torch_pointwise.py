"""ATen's elementwise operations as IR. A rule takes the operation's arguments in the order of its
schema, defaults filled in: tensors as nodes, everything else as it is."""

from collections.abc import Callable
from typing import Any

from compiler_core.capture.formulas import floor, power, trunc
from compiler_core.capture.rules import Number, Operand, Rule
from compiler_core.ir.graph import Node
from compiler_core.ir.types import BOOL

# A node, one for each result, or None: not in this form.
TorchRule = Callable[..., Any]


def unary(op: str) -> TorchRule:
    """One IR operation, in the type of the result."""
    return lambda c, x, *_: c.b.node(op, *c.operands(x))


def binary(op: str) -> TorchRule:
    return lambda c, x, y, *_: c.b.node(op, *c.operands(x, y))


def composite(formula: Callable[..., Node]) -> TorchRule:
    """A formula over one tensor, computed in at least single precision."""

    def rule(c: Rule, x: Node, *args: Any) -> Node:
        return c.narrow(formula(c, *c.wide(x), *args))

    return rule


# -- arithmetic


def _add(c: Rule, x: Operand, y: Operand, alpha: Number = 1) -> Node:
    if c.out.dtype is BOOL:
        return c.b.node("or", *c.operands(x, y))
    if alpha == 1:
        return c.b.node("add", *c.operands(x, y))
    left, right = c.wide(x, y)
    return c.narrow(c.add(left, c.mul(right, alpha)))


def _sub(c: Rule, x: Operand, y: Operand, alpha: Number = 1) -> Node:
    if alpha == 1:
        return c.b.node("subtract", *c.operands(x, y))
    left, right = c.wide(x, y)
    return c.narrow(c.sub(left, c.mul(right, alpha)))


def _rsub(c: Rule, x: Operand, y: Operand, alpha: Number = 1) -> Node:
    return _sub(c, y, x, alpha)


def _mul(c: Rule, x: Operand, y: Operand) -> Node:
    return c.b.node("and" if c.out.dtype is BOOL else "multiply", *c.operands(x, y))


def _div(c: Rule, x: Operand, y: Operand, mode: str | None = None) -> Node:
    if mode is None:
        return c.b.node("divide", *c.operands(x, y))
    if c.out.dtype.is_float:
        quotient = c.div(*c.wide(x, y))
        return c.narrow((floor if mode == "floor" else trunc)(c, quotient))
    left, right = c.operands(x, y)
    # The IR's integer division truncates.
    quotient = c.div(left, right)
    return quotient if mode == "trunc" else _floored(c, left, right, quotient)


def _floored(c: Rule, x: Node, y: Node, quotient: Node) -> Node:
    """One less where the signs differ and there is a rest."""
    rest = c.sub(x, c.mul(quotient, y))
    differ = c.b.node("xor", c.compare(rest, 0, "LT"), c.compare(y, 0, "LT"))
    fix = c.b.node("and", differ, c.compare(rest, 0, "NE"))
    return c.select(fix, c.sub(quotient, 1), quotient)


def _floor_divide(c: Rule, x: Operand, y: Operand) -> Node:
    return _div(c, x, y, "floor")


def _remainder(c: Rule, x: Operand, y: Operand) -> Node:
    """The sign of the divisor; the IR's has that of the dividend."""
    left, right = c.wide(x, y)
    rest = c.b.node("remainder", left, right)
    differ = c.b.node("xor", c.compare(rest, 0, "LT"), c.compare(right, 0, "LT"))
    fix = c.b.node("and", differ, c.compare(rest, 0, "NE"))
    return c.narrow(c.select(fix, c.add(rest, right), rest))


def _reciprocal(c: Rule, x: Node) -> Node:
    (value,) = c.operands(x)
    return c.div(c.like(1, value), value)


def _pow(c: Rule, x: Operand, exponent: Operand) -> Node | None:
    if isinstance(x, Node) and not isinstance(exponent, Node):
        if not c.out.dtype.is_float and exponent < 0:
            return None
        return c.narrow(power(c, c.wide(x)[0], exponent))
    return c.narrow(c.b.node("power", *c.wide(x, exponent)))


def _addcmul(c: Rule, x: Node, y: Node, z: Node, value: Number = 1) -> Node:
    x, y, z = c.wide(x, y, z)
    product = c.mul(y, z)
    return c.narrow(c.add(x, product if value == 1 else c.mul(product, value)))


def _addcdiv(c: Rule, x: Node, y: Node, z: Node, value: Number = 1) -> Node:
    x, y, z = c.wide(x, y, z)
    return c.narrow(c.add(x, c.div(y if value == 1 else c.mul(y, value), z)))


def _lerp(c: Rule, x: Node, end: Node, weight: Operand) -> Node:
    """From the nearer end, as torch does, so that weight 1 gives exactly `end`."""
    x, end, w = c.wide(x, end, weight)
    step = c.sub(end, x)
    near = c.compare(c.b.node("abs", w), 0.5, "LT")
    far = c.sub(end, c.mul(step, c.sub(c.like(1, w), w)))
    return c.narrow(c.select(near, c.add(x, c.mul(w, step)), far))


# -- converting and copying


def _same(c: Rule, x: Node, *_: Any) -> Node:
    return c.fit(x, c.out.dtype, c.out.shape)


def _copy(c: Rule, x: Node, source: Node, *_: Any) -> Node:
    return c.fit(source, c.out.dtype, c.out.shape)


def _fill(c: Rule, x: Node, value: Operand) -> Node:
    return c.fit(value, c.out.dtype, c.out.shape)


def _round(c: Rule, x: Node, decimals: int = 0) -> Node:
    (value,) = c.wide(x)
    if not c.out.dtype.is_float:
        return value
    scale = 10.0**decimals
    rounded = c.b.node("round_nearest_even", c.mul(value, scale) if decimals else value)
    return c.narrow(c.div(rounded, scale) if decimals else rounded)


def _whole(op: str) -> TorchRule:
    """Rounding that leaves whole numbers as they are."""
    return lambda c, x, *_: c.b.node(op, x) if x.type.dtype.is_float else x


def _copysign(c: Rule, x: Operand, y: Operand) -> Node:
    magnitude, sign = c.operands(x, y)
    magnitude = c.b.node("abs", magnitude)
    return c.select(_signbit(c, sign), c.neg(magnitude), magnitude)


def _signbit(c: Rule, x: Node) -> Node:
    if not x.type.dtype.is_float:
        return c.compare(x, 0, "LT")
    # Tells -0.0 from 0.0 as a comparison with 0 would not.
    return c.compare(c.b.node("atan2", x, c.like(-1, x)), 0, "LT")


def _bitwise_not(c: Rule, x: Node) -> Node:
    return c.b.node("not", x)


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
    "square": lambda c, x: power(c, c.operands(x)[0], 2),
    "addcmul": _addcmul,
    "addcdiv": _addcdiv,
    "lerp": _lerp,
    "maximum": binary("maximum"),
    "minimum": binary("minimum"),
    "max.other": binary("maximum"),
    "min.other": binary("minimum"),
    "atan2": lambda c, x, y: c.narrow(c.b.node("atan2", *c.wide(x, y))),
    "neg": unary("negate"),
    "abs": lambda c, x: x if x.type.dtype is BOOL else c.b.node("abs", x),
    "sign": lambda c, x: x if x.type.dtype is BOOL else c.b.node("sign", x),
    "sgn": lambda c, x: x if x.type.dtype is BOOL else c.b.node("sign", x),
    "floor": _whole("floor"),
    "ceil": _whole("ceil"),
    "trunc": lambda c, x: trunc(c, x) if x.type.dtype.is_float else x,
    "fix": lambda c, x: trunc(c, x) if x.type.dtype.is_float else x,
    "frac": composite(lambda c, x: c.sub(x, trunc(c, x))),
    "round": _round,
    "signbit": _signbit,
    "copysign": _copysign,
    "bitwise_and": binary("and"),
    "bitwise_or": binary("or"),
    "bitwise_xor": binary("xor"),
    "bitwise_not": _bitwise_not,
    "bitwise_left_shift": binary("shift_left"),
    "bitwise_right_shift": binary("shift_right_arithmetic"),
    "clone": _same,
    "_to_copy": _same,
    "copy": _copy,
    "fill": _fill,
    "positive": _same,
    "zero": lambda c, x: c.like(0, x),
}
