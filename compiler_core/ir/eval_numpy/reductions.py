"""Reductions, scans and windows in numpy."""

import numpy as np

from compiler_core.ir.eval_numpy.values import Array, SeveralRule, upcast
from compiler_core.ir.eval_numpy.windows import slices, spread
from compiler_core.ir.graph import Operation
from compiler_core.ir.monoids import MONOIDS

Arrays = tuple[Array, ...]


def _upcast(operation: Operation, operands: Arrays) -> Arrays:
    types = operation.types
    return tuple(upcast(x, t.dtype) for x, t in zip(operands, types, strict=True))


def _identities(operation: Operation, operands: Arrays) -> Arrays:
    """The monoid's neutral element, as scalars of the operands' types."""
    values = MONOIDS[operation["monoid"]].identity(operation.types[0].dtype)
    return tuple(np.asarray(v).astype(x.dtype) for v, x in zip(values, operands, strict=True))


def _reduce(operation: Operation, *operands: Array) -> Arrays:
    """Pairwise: one half is combined with the other, one dimension at a time."""
    values = _upcast(operation, operands)
    combine, none = MONOIDS[operation["monoid"]].combine, _identities(operation, values)
    for axis in sorted(operation["dimensions"], reverse=True):
        values = tuple(np.moveaxis(x, axis, 0) for x in values)
        if not len(values[0]):
            values = tuple(np.full((1, *x.shape[1:]), n) for x, n in zip(values, none, strict=True))
        while (size := len(values[0])) > 1:
            half = size // 2
            paired = combine(
                tuple(x[:half] for x in values), tuple(x[half : 2 * half] for x in values)
            )
            values = tuple(
                np.concatenate([p, x[2 * half :]]).astype(x.dtype)
                for p, x in zip(paired, values, strict=True)
            )
        values = tuple(x[0] for x in values)
    return values


def _cumulative(operation: Operation, *operands: Array) -> Arrays:
    axis, step = operation["dimension"], -1 if operation["reverse"] else 1
    combine = MONOIDS[operation["monoid"]].combine
    moved = [np.moveaxis(x, axis, 0)[::step] for x in _upcast(operation, operands)]
    results = [np.array(x) for x in moved]
    for i in range(1, len(moved[0])):
        combined = combine(tuple(r[i - 1] for r in results), tuple(x[i] for x in moved))
        for result, value in zip(results, combined, strict=True):
            result[i] = value
    return tuple(np.moveaxis(r[::step], 0, axis) for r in results)


def _reduce_window(operation: Operation, *operands: Array) -> Arrays:
    """The elements at one position of every window form a strided slice; the slices are
    combined."""
    values = _upcast(operation, operands)
    none = _identities(operation, values)
    gaps, low, high = (operation[name] for name in ("base_dilation", "low", "high"))
    padded = [spread(x, gaps, low, high, n) for x, n in zip(values, none, strict=True)]
    shape = operation.types[0].sizes
    result = tuple(np.full(shape, n) for n in none)
    strides, dilation = operation["strides"], operation["window_dilation"]
    for at in slices(shape, operation["window"], strides, dilation):
        result = MONOIDS[operation["monoid"]].combine(result, tuple(x[at] for x in padded))
    return result


SEVERAL: dict[str, SeveralRule] = {
    "reduce": _reduce,
    "cumulative": _cumulative,
    "reduce_window": _reduce_window,
}
