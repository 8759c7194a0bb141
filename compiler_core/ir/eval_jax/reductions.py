"""Reductions, scans and windows in jax.lax."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
from jax import lax

from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.eval_jax.combine import combine_of, of_arrays
from compiler_core.ir.eval_jax.values import Array, SeveralRule
from compiler_core.ir.graph import Operation
from compiler_core.ir.monoids import MONOIDS, for_dtype
from compiler_core.ir.types import BF16, F16, F32

Arrays = tuple[Array, ...]

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lax.add, "multiply": lax.mul, "maximum": lax.max, "minimum": lax.min,
    "and": lax.bitwise_and, "or": lax.bitwise_or,
}  # fmt: skip
_SCANS: dict[str, Callable[..., Any]] = {
    "add": lax.cumsum, "multiply": lax.cumprod, "maximum": lax.cummax, "minimum": lax.cummin,
}  # fmt: skip


def _monoid(operation: Operation) -> str:
    return for_dtype(operation["monoid"], operation.types[0].dtype)


def _in_f32(rule: Callable[..., Arrays]) -> SeveralRule:
    """Half-precision sums are accumulated in f32 and rounded once, as jax.numpy does."""

    def wrapped(operation: Operation, *xs: Array) -> Arrays:
        kinds = [t.dtype for t in operation.types]
        if not {F16, BF16}.intersection(kinds):
            return rule(operation, *xs)
        upcast_types = tuple(
            t.with_dtype(F32) if t.dtype in (F16, BF16) else t for t in operation.types
        )
        types = (NUMPY[t.dtype.name] for t in upcast_types)
        upcast = (lax.convert_element_type(x, t) for x, t in zip(xs, types, strict=True))
        results = zip(rule(replace(operation, types=upcast_types), *upcast), kinds, strict=True)
        return tuple(lax.convert_element_type(x, NUMPY[k.name]) for x, k in results)

    return wrapped


def _identities(operation: Operation, xs: Arrays) -> Arrays:
    values = MONOIDS[_monoid(operation)].identity(operation.types[0].dtype)
    return tuple(jax.numpy.asarray(v).astype(x.dtype) for v, x in zip(values, xs, strict=True))


def _reduce(operation: Operation, *xs: Array) -> Arrays:
    starts, dimensions = _identities(operation, xs), tuple(operation["dimensions"])
    if len(xs) == 1:
        return (lax.reduce(xs[0], starts[0], _FUNCTIONS[_monoid(operation)], dimensions),)
    return tuple(lax.reduce(xs, starts, combine_of(operation), dimensions))


def _cumulative(operation: Operation, *xs: Array) -> Arrays:
    axis, reverse = operation["dimension"], operation["reverse"]
    if len(xs) > 1:
        combine = of_arrays(combine_of(operation))
        return tuple(lax.associative_scan(combine, xs, reverse, axis))
    name = _monoid(operation)
    if name in _SCANS:
        return (_SCANS[name](xs[0], axis, reverse),)
    return (lax.associative_scan(_FUNCTIONS[name], xs[0], reverse, axis),)


def _reduce_window(operation: Operation, *xs: Array) -> Arrays:
    starts = _identities(operation, xs)
    placed = (
        operation["window"], operation["strides"],
        list(zip(operation["low"], operation["high"], strict=True)),
        operation["base_dilation"], operation["window_dilation"],
    )  # fmt: skip
    if len(xs) == 1:
        function = _FUNCTIONS[_monoid(operation)]
        return (lax.reduce_window(xs[0], starts[0], function, *placed),)
    return tuple(lax.reduce_window(xs, starts, combine_of(operation), *placed))


SEVERAL: dict[str, SeveralRule] = {
    "reduce": _in_f32(_reduce),
    "cumulative": _in_f32(_cumulative),
    "reduce_window": _in_f32(_reduce_window),
}
