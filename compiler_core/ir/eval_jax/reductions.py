"""Reductions and scans in jax.lax."""

from collections.abc import Callable
from typing import Any

import jax
from jax import lax

from compiler_core.ir.eval_jax.values import Array, Rule, dtype_of
from compiler_core.ir.eval_numpy.values import DTYPES
from compiler_core.ir.evaluate import identity
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BF16, BOOL, F16, F32

_MONOIDS: dict[str, Callable[..., Any]] = {
    "add": lax.add, "multiply": lax.mul, "maximum": lax.max, "minimum": lax.min,
    "and": lax.bitwise_and, "or": lax.bitwise_or,
}  # fmt: skip


_OF_BOOLS = {"add": "or", "maximum": "or", "multiply": "and", "minimum": "and"}


_SCANS: dict[str, Callable[..., Any]] = {
    "add": lax.cumsum, "multiply": lax.cumprod, "maximum": lax.cummax, "minimum": lax.cummin,
}  # fmt: skip


def _monoid(n: Value) -> str:
    name: str = n["monoid"]
    return _OF_BOOLS.get(name, name) if n.type.dtype is BOOL else name


def _in_f32(rule: Rule) -> Rule:
    """Half-precision sums are accumulated in f32 and rounded once, as jax.numpy does."""

    def wrapped(n: Value, x: Array) -> Array:
        if n.type.dtype not in (F16, BF16):
            return rule(n, x)
        result = rule(n, lax.convert_element_type(x, DTYPES[F32.name]))
        return lax.convert_element_type(result, dtype_of(n))

    return wrapped


def _reduce(n: Value, x: Array) -> Array:
    start = jax.numpy.asarray(identity(_monoid(n), n.type.dtype)).astype(x.dtype)
    return lax.reduce(x, start, _MONOIDS[_monoid(n)], tuple(n["dimensions"]))


def _cumulative(n: Value, x: Array) -> Array:
    scan, axis = _SCANS.get(_monoid(n)), n["dimension"]
    if scan is not None:
        return scan(x, axis, n["reverse"])
    return lax.associative_scan(_MONOIDS[_monoid(n)], x, n["reverse"], axis)


RULES: dict[str, Rule] = {
    "reduce": _in_f32(_reduce),
    "cumulative": _in_f32(_cumulative),
}
