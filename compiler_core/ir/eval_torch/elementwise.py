"""Elementwise operations in torch."""

import math
import operator
from collections.abc import Callable
from typing import Any

import torch

from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.eval_torch.context import (
    SMALLEST,
    Context,
    Rule,
    in_order,
    number,
    refuse_u64,
)
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL


def _pair(n: Value, x: Any, y: Any) -> tuple[Any, Any]:
    """The operands, a constant one as a literal; at least one remains a tensor."""
    left, right = map(number, n.operands)
    if right is not None:
        return x, right
    return (x if left is None else left), y


def _unary(function: Callable[..., Any]) -> Rule:
    return lambda c, n, x: function(x)


def _whole(function: Callable[..., Any]) -> Rule:
    """A rounding operation, which leaves integers as they are."""
    return lambda c, n, x: function(x) if n.type.dtype.is_float else x


def _arithmetic(function: Callable[..., Any], of_bools: Callable[..., Any]) -> Rule:
    def rule(c: Context, n: Value, x: Any, y: Any) -> Any:
        return of_bools(x, y) if n.type.dtype is BOOL else function(*_pair(n, x, y))

    return rule


def _sign(c: Context, n: Value, x: Any) -> Any:
    if not n.type.dtype.is_float:
        signed = n.type.dtype.kind == "int"
        return torch.sign(x) if signed else (x != 0).to(c.dtype(n.type.dtype))
    # torch's sign of NaN is 0 and of -0.0 is 0.0.
    return torch.where((x == 0) | torch.isnan(x), x, torch.sign(x))


def _abs(c: Context, n: Value, x: Any) -> Any:
    return x if n.type.dtype.kind in ("bool", "uint") else torch.abs(x)


def _is_finite(c: Context, n: Value, x: Any) -> Any:
    return torch.isfinite(x)


def _round_away(x: Any) -> Any:
    whole = torch.trunc(x)
    return torch.where(torch.abs(x - whole) >= 0.5, whole + torch.sign(x), whole)


def _cube_root(x: Any) -> Any:
    size = torch.abs(x)
    y = torch.pow(size, 1 / 3)
    # One step of Newton's method: the exponent is near a third, not a third.
    y = y - (y - size / (y * y)) * (1 / 3)
    exact = (size == 0) | (size == float("inf"))
    return torch.where(exact, x, torch.copysign(y, x))


def _divide(c: Context, n: Value, x: Any, y: Any) -> Any:
    divisor = number(n.operands[1])
    if n.type.dtype.is_float:
        return torch.div(x, y if divisor is None else divisor)
    refuse_u64(n)
    if divisor not in (None, 0, -1):
        return torch.div(x, divisor, rounding_mode="trunc")
    signed = n.type.dtype.kind == "int"
    result = torch.div(x, _harmless(n, y), rounding_mode="trunc")
    if signed:
        result = torch.where(y == -1, -x, result)
    return torch.where(y == 0, -1 if signed else 2**n.type.dtype.bits - 1, result)


def _harmless(n: Value, divisor: Any) -> Any:
    """The divisor with 1 where the processor would trap: x / 0, and the smallest integer / -1."""
    traps = divisor == 0
    if n.type.dtype.kind == "int":
        traps = traps | (divisor == -1)
    return torch.where(traps, 1, divisor)


def _remainder(c: Context, n: Value, x: Any, y: Any) -> Any:
    divisor = number(n.operands[1])
    if n.type.dtype.is_float:
        return torch.fmod(x, y if divisor is None else divisor)
    refuse_u64(n)
    if divisor not in (None, 0, -1):
        return torch.fmod(x, divisor)
    return torch.where(y == 0, x, torch.fmod(x, _harmless(n, y)))


def _power(c: Context, n: Value, x: Any, y: Any) -> Any:
    if n.type.dtype.is_float:
        return torch.pow(*_pair(n, x, y))
    refuse_u64(n)
    return torch.pow(x, y)


def _bound(node: Value) -> float | int | bool | None:
    """A literal bound that torch's clamp accepts, else None: clamp ignores NaN and has no bool or
    u64."""
    value, dtype = number(node), node.type.dtype
    if value is None or math.isnan(value) or dtype is BOOL or dtype.name == "u64":
        return None
    return value


def _extremum(of_two: Callable[..., Any], of_number: Callable[..., Any]) -> Rule:
    def rule(c: Context, n: Value, x: Any, y: Any) -> Any:
        left, right = map(_bound, n.operands)
        if right is not None:
            return of_number(x, right)
        if left is not None:
            return of_number(y, left)
        dtype = n.type.dtype
        return in_order(dtype, of_two(in_order(dtype, x), in_order(dtype, y)))

    return rule


def _clamp(c: Context, n: Value, low: Any, x: Any, high: Any) -> Any:
    least, most = _bound(n.operands[0]), _bound(n.operands[2])
    if least is not None and most is not None:
        return torch.clamp(x, least, most)
    dtype = n.type.dtype
    raised = torch.maximum(in_order(dtype, x), in_order(dtype, low))
    return in_order(dtype, torch.minimum(raised, in_order(dtype, high)))


_COMPARISONS = {"EQ": torch.eq, "NE": torch.ne, "LT": torch.lt, "LE": torch.le,
                "GT": torch.gt, "GE": torch.ge}  # fmt: skip


def _compare(c: Context, n: Value, x: Any, y: Any) -> Any:
    compare, dtype, right = (
        _COMPARISONS[n["direction"]],
        n.operands[0].type.dtype,
        number(n.operands[1]),
    )
    if dtype.name == "u64":
        return compare(in_order(dtype, x), in_order(dtype, y))
    return compare(x, y if right is None else right)


def _select(c: Context, n: Value, p: Any, x: Any, y: Any) -> Any:
    left, right = number(n.operands[1]), number(n.operands[2])
    if right is not None:
        return torch.where(p, x, right)
    return torch.where(p, x if left is None else left, y)


def _convert(c: Context, n: Value, x: Any) -> Any:
    source, target = n.operands[0].type.dtype, n.type.dtype
    if source.name == "u64" and target.is_float:
        # Halved with the lost bit kept for rounding, converted, doubled.
        halved = _shifted(x, torch.ones_like(x), 64) | (x & 1)
        return torch.where(x < 0, halved.to(c.dtype(target)) * 2, x.to(c.dtype(target)))
    return x.to(c.dtype(target))


# The signed integer of each width, which is not stored in a wider type.
_SIGNED = {8: torch.int8, 16: torch.int16, 32: torch.int32, 64: torch.int64}


def _bitcast_convert(c: Context, n: Value, x: Any) -> Any:
    source, target = (
        TORCH[d.name] if d.is_float else _SIGNED[d.bits]
        for d in (n.operands[0].type.dtype, n.type.dtype)
    )
    return x.to(source).view(target).to(c.dtype(n.type.dtype))


def _shift_right_logical(c: Context, n: Value, x: Any, amount: Any) -> Any:
    return _shifted(x, amount, n.type.dtype.bits).to(c.dtype(n.type.dtype))


def _shifted(x: Any, amount: Any, bits: int) -> Any:
    """A logical right shift of `bits`-bit integers; 0 if the amount is at least `bits`."""
    beyond = (amount < 0) | (amount >= bits)
    count = torch.where(beyond, 0, amount)
    if bits < 64:
        unsigned = x.to(torch.int64) & (2**bits - 1)
        return torch.where(beyond, 0, unsigned >> count.to(torch.int64))
    top = torch.full_like(x, SMALLEST) >> torch.clamp_min(count - 1, 0)
    copies = torch.where(count == 0, 0, top)
    return torch.where(beyond, 0, (x >> count) & ~copies)


RULES: dict[str, Rule] = {
    # -- unary
    "abs": _abs,
    "negate": _unary(operator.neg),
    "not": _unary(operator.invert),
    "sign": _sign,
    "floor": _whole(torch.floor),
    "ceil": _whole(torch.ceil),
    "is_finite": _is_finite,
    "convert": _convert,
    "bitcast_convert": _bitcast_convert,
    "round_nearest_even": _whole(torch.round),
    "round_nearest_afz": _whole(_round_away),
    "sqrt": _unary(torch.sqrt),
    "rsqrt": _unary(torch.rsqrt),
    "cbrt": _unary(_cube_root),
    "exponential": _unary(torch.exp),
    "exponential_minus_one": _unary(torch.expm1),
    "log": _unary(torch.log),
    "log_plus_one": _unary(torch.log1p),
    "logistic": _unary(torch.sigmoid),
    "tanh": _unary(torch.tanh),
    "sine": _unary(torch.sin),
    "cosine": _unary(torch.cos),
    "tan": _unary(torch.tan),
    "erf": _unary(torch.erf),
    "erfc": _unary(torch.erfc),
    "erf_inv": _unary(torch.erfinv),
    # -- binary and ternary
    "add": _arithmetic(operator.add, operator.or_),
    "subtract": _arithmetic(operator.sub, operator.xor),
    "multiply": _arithmetic(operator.mul, operator.and_),
    "maximum": _extremum(torch.maximum, torch.clamp_min),
    "minimum": _extremum(torch.minimum, torch.clamp_max),
    "and": lambda c, n, x, y: x & y,
    "or": lambda c, n, x, y: x | y,
    "xor": lambda c, n, x, y: x ^ y,
    "shift_left": lambda c, n, x, y: x << y,
    "shift_right_arithmetic": lambda c, n, x, y: x >> y,
    "shift_right_logical": _shift_right_logical,
    "divide": _divide,
    "remainder": _remainder,
    "power": _power,
    "atan2": lambda c, n, x, y: torch.atan2(x, y),
    "compare": _compare,
    "select": _select,
    "clamp": _clamp,
}
