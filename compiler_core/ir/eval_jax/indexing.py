"""Gathers, scatters and slices at computed places, in jax.lax."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import dtypes, lax

from compiler_core.ir.eval_jax.values import Array, Rule
from compiler_core.ir.graph import Operation, Value
from compiler_core.ir.types import BOOL
from compiler_core.ir.windows import windows_of

_MODES = {
    "in_bounds": lax.GatherScatterMode.PROMISE_IN_BOUNDS,
    "clamp": lax.GatherScatterMode.CLIP,
    "mask": lax.GatherScatterMode.FILL_OR_DROP,
}


def _indices(operation: Operation, indices: Array) -> Array:
    """The indices with the index vectors in the last dimension, as jax.lax expects, and negative
    ones wrapped where the policy says so."""
    w, rank = windows_of(operation), operation.operands[1].type.rank
    if operation.operands[1].type.dtype.kind != "int":
        indices = _signed(indices)
    vectors = (
        indices[..., None] if w.vector_dim == rank else jnp.moveaxis(indices, w.vector_dim, -1)
    )
    if operation["out_of_bounds"] != "wrap":
        return vectors
    shape = operation.operands[0].type.sizes
    sizes = jnp.asarray([shape[d] for d in w.starts], vectors.dtype)
    return jnp.where(vectors < 0, vectors + sizes, vectors)


def _signed(indices: Array) -> Array:
    """As JAX's widest integers with a sign: one beyond their range is the largest, which is out of
    bounds as well."""
    signed = dtypes.canonicalize_dtype("int64")
    most = jnp.iinfo(signed).max
    beyond = jnp.iinfo(indices.dtype).max > most
    return (jnp.minimum(indices, most) if beyond else indices).astype(signed)


def _in_32_bits(operation: Operation, vectors: Array) -> Array:
    """Indices that are still out of bounds where lax.gather cuts them to 32 bits, as it does before
    it masks them."""
    info = jnp.iinfo(vectors.dtype)
    if operation["out_of_bounds"] != "mask" or info.max <= jnp.iinfo("int32").max:
        return vectors
    shape = operation.operands[0].type.sizes
    beyond = jnp.asarray([shape[d] + 1 for d in windows_of(operation).starts], vectors.dtype)
    return jnp.clip(vectors, max(info.min, -1), beyond)


def _batching(operation: Operation) -> tuple[int, ...]:
    w = windows_of(operation)
    return tuple(d - (d > w.vector_dim) for d in w.indices_batching)


def _gather(n: Value, x: Array, indices: Array) -> Array:
    if not n.operands[0].type.numel or not n.type.numel:
        return lax.full(n.type.sizes, n["fill"], x.dtype)
    w = windows_of(n.operation)
    numbers = lax.GatherDimensionNumbers(
        w.window_dims, w.collapsed, w.starts, w.batching, _batching(n.operation)
    )
    mode = _MODES.get(n["out_of_bounds"], lax.GatherScatterMode.CLIP)
    where = _in_32_bits(n.operation, _indices(n.operation, indices))
    return lax.gather(x, where, numbers, w.sizes, mode=mode, fill_value=n["fill"])


def _scatter(n: Value, x: Array, indices: Array, updates: Array) -> Array:
    w = windows_of(n.operation)
    numbers = lax.ScatterDimensionNumbers(
        w.window_dims, w.collapsed, w.starts, w.batching, _batching(n.operation)
    )
    mode = _MODES.get(n["out_of_bounds"], lax.GatherScatterMode.FILL_OR_DROP)
    combine, where = n["combine"], _indices(n.operation, indices)
    if n.type.dtype is BOOL and combine != "set":
        combine = {"add": "maximum", "multiply": "minimum"}.get(combine, combine)
        combined = _SCATTERS[combine](
            x.astype("uint8"), where, updates.astype("uint8"), numbers, mode=mode
        )
        return combined != 0
    scatter = _SCATTERS[combine]
    return scatter(x, where, updates, numbers, unique_indices=n["unique"], mode=mode)


_SCATTERS: dict[str, Callable[..., Any]] = {
    "set": lax.scatter, "add": lax.scatter_add, "multiply": lax.scatter_mul,
    "maximum": lax.scatter_max, "minimum": lax.scatter_min,
}  # fmt: skip


RULES: dict[str, Rule] = {
    "gather": _gather,
    "scatter": _scatter,
    "dynamic_slice": lambda n, x, *starts: lax.dynamic_slice(x, starts, n["sizes"]),
    "dynamic_update_slice": lambda n, x, update, *starts: lax.dynamic_update_slice(
        x, update, starts
    ),
}
