"""Reductions and scans in numpy."""

from typing import Any

import numpy as np

from compiler_core.ir.eval_numpy.values import Array, Rule, upcast
from compiler_core.ir.evaluate import identity
from compiler_core.ir.graph import Value

_FOLDS: dict[str, Any] = {
    "add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
    "and": np.bitwise_and, "or": np.bitwise_or,
}  # fmt: skip


def _reduce(node: Value, x: Array) -> Array:
    dtype, dimensions = node.type.dtype, tuple(node["dimensions"])
    wide = upcast(x, dtype)
    start = np.asarray(identity(node["monoid"], dtype)).astype(wide.dtype)
    fold = _FOLDS[node["monoid"]]
    return fold.reduce(wide, axis=dimensions, dtype=wide.dtype, initial=start)


def _cumulative(node: Value, x: Array) -> Array:
    wide, axis = upcast(x, node.type.dtype), node["dimension"]
    turned = np.flip(wide, axis) if node["reverse"] else wide
    result = _FOLDS[node["monoid"]].accumulate(turned, axis, dtype=wide.dtype)
    return np.flip(result, axis) if node["reverse"] else result


RULES: dict[str, Rule] = {
    "reduce": _reduce,
    "cumulative": _cumulative,
}
