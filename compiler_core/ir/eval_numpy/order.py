"""Sorting in numpy."""

import numpy as np

from compiler_core.ir.eval_numpy.values import Array, SeveralRule
from compiler_core.ir.graph import Operation


def ranks(x: Array, descending: bool) -> Array:
    """Integers that sort as the elements do, in the opposite order if `descending`; equal elements
    have equal ranks, and NaN counts as the greatest element."""
    upcast = x.astype(np.float64) if x.dtype.kind not in "iub" else x
    _, rank = np.unique(upcast, return_inverse=True)
    rank = rank.reshape(x.shape)
    return -rank if descending else rank


def _sort(operation: Operation, *operands: Array) -> list[Array]:
    axis, keys = operation["dimension"], operands[: operation["keys"]]
    order = np.lexsort([ranks(x, operation["descending"]) for x in reversed(keys)], axis=axis)
    return [np.take_along_axis(x, order, axis) for x in operands]


def _in_total_order(x: Array) -> Array:
    """Integers in the order of the bits of floats: sign, exponent, fraction. Others themselves."""
    if x.dtype.kind in "iub":
        return x
    bits = x.view(f"i{x.itemsize}")
    return bits ^ ((bits >> (8 * x.itemsize - 1)) & np.iinfo(bits.dtype).max)


def _top_k(operation: Operation, x: Array) -> list[Array]:
    keys = _in_total_order(x) if operation["total"] else x
    order = np.argsort(ranks(keys, descending=True), axis=-1, kind="stable")[..., : operation["k"]]
    return [np.take_along_axis(x, order, -1), order]


SEVERAL: dict[str, SeveralRule] = {"sort": _sort, "top_k": _top_k}
