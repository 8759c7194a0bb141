"""Elementwise operations, conversions and constants."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from compiler_core.snippet.stablehlo.module import Operation
from compiler_core.snippet.stablehlo.read import numpy_dtype
from compiler_core.snippet.stablehlo.rules.rule import Regions, Rule

# StableHLO's name -> the function of jax.lax with the same operands.
_SAME: dict[str, Callable[..., Any]] = {
    "abs": lax.abs, "add": lax.add, "and": lax.bitwise_and, "atan2": lax.atan2, "cbrt": lax.cbrt,
    "ceil": lax.ceil, "clamp": lax.clamp, "complex": lax.complex, "cosine": lax.cos,
    "count_leading_zeros": lax.clz, "divide": lax.div, "exponential": lax.exp,
    "exponential_minus_one": lax.expm1, "floor": lax.floor, "imag": lax.imag,
    "is_finite": lax.is_finite, "log": lax.log, "log_plus_one": lax.log1p,
    "logistic": lax.logistic, "maximum": lax.max, "minimum": lax.min, "multiply": lax.mul,
    "negate": lax.neg, "not": lax.bitwise_not, "or": lax.bitwise_or,
    "popcnt": lax.population_count, "power": lax.pow, "real": lax.real, "remainder": lax.rem,
    "rsqrt": lax.rsqrt, "select": lax.select, "shift_left": lax.shift_left,
    "shift_right_arithmetic": lax.shift_right_arithmetic,
    "shift_right_logical": lax.shift_right_logical, "sign": lax.sign, "sine": lax.sin,
    "sqrt": lax.sqrt, "subtract": lax.sub, "tan": lax.tan, "tanh": lax.tanh,
    "xor": lax.bitwise_xor, "optimization_barrier": lambda *x: lax.optimization_barrier(x),
}  # fmt: skip
_CHLO: dict[str, Callable[..., Any]] = {
    "acos": lax.acos, "acosh": lax.acosh, "asin": lax.asin, "asinh": lax.asinh, "atan": lax.atan,
    "atanh": lax.atanh, "bessel_i1e": lax.bessel_i1e, "conj": lax.conj, "cosh": lax.cosh,
    "digamma": lax.digamma, "erf": lax.erf, "erf_inv": lax.erf_inv, "erfc": lax.erfc,
    "is_inf": jnp.isinf, "lgamma": lax.lgamma, "next_after": lax.nextafter,
    "polygamma": lax.polygamma, "sinh": lax.sinh, "square": lax.square, "tan": lax.tan,
    "zeta": lax.zeta,
}  # fmt: skip
_COMPARE = {
    "EQ": lax.eq, "NE": lax.ne, "LT": lax.lt, "LE": lax.le, "GT": lax.gt, "GE": lax.ge,
}  # fmt: skip


def _same(function: Callable[..., Any]) -> Rule:
    return lambda operation, operands, regions: function(*operands)


def _compare(operation: Operation, operands: Any, regions: Regions) -> Any:
    return _COMPARE[operation.attributes["comparison_direction"]](*operands)


def _constant(operation: Operation, operands: Any, regions: Regions) -> Any:
    return jnp.asarray(operation.attributes["value"])


def _convert(operation: Operation, operands: Any, regions: Regions) -> Any:
    return lax.convert_element_type(operands[0], numpy_dtype(operation.types[0]))


def _bitcast(operation: Operation, operands: Any, regions: Regions) -> Any:
    return lax.bitcast_convert_type(operands[0], numpy_dtype(operation.types[0]))


def _round(method: lax.RoundingMethod) -> Rule:
    return lambda operation, operands, regions: lax.round(operands[0], method)


def _reduce_precision(operation: Operation, operands: Any, regions: Regions) -> Any:
    given = operation.attributes
    return lax.reduce_precision(operands[0], given["exponent_bits"], given["mantissa_bits"])


RULES: dict[str, Rule] = {
    **{f"stablehlo.{name}": _same(function) for name, function in _SAME.items()},
    **{f"chlo.{name}": _same(function) for name, function in _CHLO.items()},
    "stablehlo.compare": _compare,
    "stablehlo.constant": _constant,
    "chlo.constant": _constant,
    "stablehlo.convert": _convert,
    "stablehlo.bitcast_convert": _bitcast,
    "stablehlo.round_nearest_even": _round(lax.RoundingMethod.TO_NEAREST_EVEN),
    "stablehlo.round_nearest_afz": _round(lax.RoundingMethod.AWAY_FROM_ZERO),
    "stablehlo.reduce_precision": _reduce_precision,
}
