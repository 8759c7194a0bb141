"""Elementwise operations in jax.lax."""

from collections.abc import Callable
from typing import Any

from jax import lax

from compiler_core.ir.eval_jax.values import Array, Rule, dtype_of, plain
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL, DType


def _whole(function: Callable[..., Any]) -> Rule:
    """A rounding operation, which leaves integers as they are."""
    return lambda n, x: function(x) if n.type.dtype.is_float else x


def _arithmetic(function: Callable[..., Any], of_bools: Callable[..., Any]) -> Rule:
    return lambda n, x, y: (of_bools if n.type.dtype is BOOL else function)(x, y)


def _positive(function: Callable[..., Any]) -> Rule:
    """Nothing to do for values that are never negative."""
    return lambda n, x: x if n.type.dtype.kind in ("bool", "uint") else function(x)


def _sign(n: Value, x: Array) -> Array:
    return x if n.type.dtype is BOOL else lax.sign(x)


def _is_finite(n: Value, x: Array) -> Array:
    if n.operands[0].type.dtype.is_float:
        return lax.is_finite(x)
    return lax.full(n.type.shape, True)


def _power(n: Value, x: Array, y: Array) -> Array:
    return lax.pow(x, y) if n.type.dtype.is_float else _integer_power(x, y, n.type.dtype)


def _integer_power(x: Array, n: Array, dtype: DType) -> Array:
    """By repeated squaring, with wrap-around; a negative exponent gives 0 unless the base is 1 or
    -1."""
    one = lax.full_like(x, 1)

    def step(_: int, state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        result, base, rest = state
        odd = (rest & one) != 0
        return lax.select(odd, result * base, result), base * base, rest >> one

    result, _, _ = lax.fori_loop(0, dtype.bits, step, (one, x, n))
    if dtype.kind == "uint":
        return result
    of_minus_one = lax.select((n & one) != 0, x, one)
    zero = lax.full_like(x, 0)
    inverse = lax.select(x == one, x, lax.select(x == -one, of_minus_one, zero))
    return lax.select(n < zero, inverse, result)


COMPARISONS: dict[str, Callable[..., Any]] = {
    "EQ": lax.eq, "NE": lax.ne, "LT": lax.lt, "LE": lax.le, "GT": lax.gt, "GE": lax.ge,
}  # fmt: skip


RULES: dict[str, Rule] = {
    "abs": _positive(lax.abs),
    "negate": plain(lax.neg),
    "not": plain(lax.bitwise_not),
    "sign": _sign,
    "floor": _whole(lax.floor),
    "ceil": _whole(lax.ceil),
    "is_finite": _is_finite,
    "convert": lambda n, x: lax.convert_element_type(x, dtype_of(n)),
    "bitcast_convert": lambda n, x: lax.bitcast_convert_type(x, dtype_of(n)),
    "round_nearest_even": _whole(lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)),
    "round_nearest_afz": _whole(lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO)),
    "sqrt": plain(lax.sqrt),
    "rsqrt": plain(lax.rsqrt),
    "cbrt": plain(lax.cbrt),
    "exponential": plain(lax.exp),
    "exponential_minus_one": plain(lax.expm1),
    "log": plain(lax.log),
    "log_plus_one": plain(lax.log1p),
    "logistic": plain(lax.logistic),
    "tanh": plain(lax.tanh),
    "sine": plain(lax.sin),
    "cosine": plain(lax.cos),
    "tan": plain(lax.tan),
    "erf": plain(lax.erf),
    "erfc": plain(lax.erfc),
    "erf_inv": plain(lax.erf_inv),
    "add": _arithmetic(lax.add, lax.bitwise_or),
    "subtract": _arithmetic(lax.sub, lax.bitwise_xor),
    "multiply": _arithmetic(lax.mul, lax.bitwise_and),
    "maximum": _arithmetic(lax.max, lax.bitwise_or),
    "minimum": _arithmetic(lax.min, lax.bitwise_and),
    "and": plain(lax.bitwise_and),
    "or": plain(lax.bitwise_or),
    "xor": plain(lax.bitwise_xor),
    "shift_left": plain(lax.shift_left),
    "shift_right_arithmetic": plain(lax.shift_right_arithmetic),
    "shift_right_logical": plain(lax.shift_right_logical),
    "divide": plain(lax.div),
    "remainder": plain(lax.rem),
    "power": _power,
    "atan2": plain(lax.atan2),
    "compare": lambda n, x, y: COMPARISONS[n["direction"]](x, y),
    "select": plain(lax.select),
    "clamp": plain(lax.clamp),
}
