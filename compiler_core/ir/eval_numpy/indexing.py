"""Gathers, scatters and slices at computed places, in numpy."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from compiler_core.ir.eval_numpy.values import Array, Rule, upcast
from compiler_core.ir.graph import Value
from compiler_core.ir.windows import Arrays, places

_NUMPY = Arrays(np.arange, np.where, np.clip)


def _signed(indices: Array) -> Array:
    """As int64: one beyond its range is the largest, which is out of bounds as well."""
    most = min(np.iinfo(np.int64).max, np.iinfo(indices.dtype).max)
    return np.minimum(indices, indices.dtype.type(most)).astype(np.int64)


def _gather(node: Value, x: Array, indices: Array) -> Array:
    if not x.size or not node.type.numel:
        return np.full(node.type.sizes, node["fill"], x.dtype)
    at, inside = places(node.operation, _signed(indices), _NUMPY)
    found = np.broadcast_to(x[tuple(at)], node.type.sizes)
    return found if inside is None else np.where(inside, found, np.asarray(node["fill"], x.dtype))


def _scatter(node: Value, x: Array, indices: Array, updates: Array) -> Array:
    result = np.array(upcast(x, node.type.dtype))
    if not x.size or not updates.size:
        return result
    at, inside = places(node.operation, _signed(indices), _NUMPY)
    where = [np.broadcast_to(i, updates.shape) for i in at]
    chosen = np.broadcast_to(True if inside is None else inside, updates.shape)
    index, values = tuple(i[chosen] for i in where), updates[chosen].astype(result.dtype)
    if node["combine"] == "set":
        result[index] = values
    else:
        _COMBINE[node["combine"]].at(result, index, values)
    return result


_COMBINE: dict[str, Any] = {
    "add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
}  # fmt: skip


def _box(shape: Sequence[int], sizes: Sequence[int], starts: Sequence[Array]) -> tuple[slice, ...]:
    """The slice of `sizes` that begins at `starts`, clamped into bounds."""
    firsts = [
        min(max(0, int(start)), most - size)
        for start, size, most in zip(starts, sizes, shape, strict=True)
    ]
    return tuple(slice(first, first + size) for first, size in zip(firsts, sizes, strict=True))


def _dynamic_slice(node: Value, x: Array, *starts: Array) -> Array:
    return x[_box(x.shape, node["sizes"], starts)]


def _dynamic_update_slice(node: Value, x: Array, update: Array, *starts: Array) -> Array:
    result = x.copy()
    result[_box(x.shape, update.shape, starts)] = update
    return result


RULES: dict[str, Rule] = {
    "gather": _gather,
    "scatter": _scatter,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
}
