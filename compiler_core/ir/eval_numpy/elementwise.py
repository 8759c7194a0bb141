"""Elementwise operations in numpy: floating-point ones in float64; the caller rounds."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from compiler_core.ir.eval_numpy.values import Array, Rule, dtype_of, upcast
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL


def _real(function: Callable[..., Any]) -> Rule:
    """A rule computed in float64 and rounded by `apply`."""
    return lambda _, *xs: function(*(x.astype(np.float64) for x in xs))


def _number(of_floats: Callable[..., Any], of_others: Callable[..., Any]) -> Rule:
    def rule(node: Value, *xs: Array) -> Array:
        dtype = node.operands[0].type.dtype
        function = of_floats if dtype.is_float else of_others
        return function(*(upcast(x, dtype) for x in xs))

    return rule


def _arithmetic(function: Callable[..., Any], of_bools: Callable[..., Any]) -> Rule:
    rule = _number(function, function)
    return lambda n, *xs: of_bools(*xs) if n.type.dtype is BOOL else rule(n, *xs)


def _same(x: Array) -> Array:
    return x


def _sign(x: Array) -> Array:
    return x if x.dtype == np.bool_ else np.where(x == 0, x, np.sign(x))


def _round_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.copysign(whole + np.where(np.abs(x - whole) >= 0.5, np.sign(x), 0.0), x)


def _quotient(x: Array, y: Array) -> Array:
    """Integer division rounding towards zero; x / 0 has all bits set."""
    floor = np.floor_divide(x, y)
    inexact = (x - floor * y != 0) & ((x < 0) != (y < 0))
    return np.where(y == 0, ~np.zeros_like(x), floor + inexact.astype(x.dtype))


def _remainder(x: Array, y: Array) -> Array:
    return np.where(y == 0, x, np.fmod(x, y))


def _integer_power(x: Array, n: Array) -> Array:
    """By repeated squaring, with wrap-around; a negative exponent gives 0 unless the base is 1 or
    -1."""
    odd, result, base, rest = (n & 1) != 0, np.ones_like(x), x, n.copy()
    for _ in range(n.dtype.itemsize * 8):
        result = np.where((rest & 1) != 0, result * base, result)
        base, rest = base * base, rest >> np.ones_like(rest)
    inverse = np.where(x == 1, x, np.where((x + 1 == 0), np.where(odd, x, -x), 0))
    return np.where(n < 0, inverse, result).astype(x.dtype)


def _logical_shift(x: Array, amount: Array) -> Array:
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    return (x.view(unsigned) >> amount.view(unsigned)).view(x.dtype)


def _convert(node: Value, x: Array) -> Array:
    return x != 0 if node.type.dtype is BOOL else x.astype(dtype_of(node))


def _select(node: Value, p: Array, x: Array, y: Array) -> Array:
    return np.where(p, x, y)


COMPARISONS: dict[str, Callable[..., Any]] = {
    "EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal,
    "GT": np.greater, "GE": np.greater_equal,
}  # fmt: skip


RULES: dict[str, Rule] = {
    "abs": _number(np.abs, np.abs),
    "negate": _number(np.negative, np.negative),
    "not": lambda _, x: np.invert(x),
    "sign": _number(_sign, _sign),
    "floor": _number(np.floor, _same),
    "ceil": _number(np.ceil, _same),
    "is_finite": _number(np.isfinite, lambda x: np.ones(x.shape, np.bool_)),
    "convert": _convert,
    "bitcast_convert": lambda n, x: np.ascontiguousarray(x).view(dtype_of(n)).reshape(x.shape),
    "round_nearest_even": _number(np.rint, _same),
    "round_nearest_afz": _number(_round_away, _same),
    "sqrt": _real(np.sqrt),
    "rsqrt": _real(lambda x: 1 / np.sqrt(x)),
    "cbrt": _real(np.cbrt),
    "exponential": _real(np.exp),
    "exponential_minus_one": _real(np.expm1),
    "log": _real(np.log),
    "log_plus_one": _real(np.log1p),
    "logistic": _real(special.expit),
    "tanh": _real(np.tanh),
    "sine": _real(np.sin),
    "cosine": _real(np.cos),
    "tan": _real(np.tan),
    "erf": _real(special.erf),
    "erfc": _real(special.erfc),
    "erf_inv": _real(special.erfinv),
    "add": _arithmetic(np.add, np.bitwise_or),
    "subtract": _arithmetic(np.subtract, np.bitwise_xor),
    "multiply": _arithmetic(np.multiply, np.bitwise_and),
    "maximum": _number(np.maximum, np.maximum),
    "minimum": _number(np.minimum, np.minimum),
    "and": lambda _, x, y: x & y,
    "or": lambda _, x, y: x | y,
    "xor": lambda _, x, y: x ^ y,
    "shift_left": lambda _, x, y: x << y,
    "shift_right_arithmetic": lambda _, x, y: x >> y,
    "shift_right_logical": lambda _, x, y: _logical_shift(x, y),
    "divide": _number(np.divide, _quotient),
    "remainder": _number(np.fmod, _remainder),
    "power": _number(np.power, _integer_power),
    "atan2": _real(np.arctan2),
    "compare": lambda n, x, y: COMPARISONS[n["direction"]](x, y),
    "select": _select,
    "clamp": lambda _, low, x, high: np.minimum(np.maximum(x, low), high),
}
