"""Contractions in numpy."""

from math import prod

import numpy as np

from compiler_core.ir.convolution import convolution_of, inverse
from compiler_core.ir.eval_numpy.values import Array, Rule, upcast
from compiler_core.ir.eval_numpy.windows import slices, spread
from compiler_core.ir.evaluate import einsum_text
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL


def _dot(node: Value, x: Array, y: Array) -> Array:
    dtype = node.type.dtype
    if dtype is BOOL:
        return np.einsum(einsum_text(node), x.astype(np.int64), y.astype(np.int64)) != 0
    return np.einsum(einsum_text(node), upcast(x, dtype), upcast(y, dtype), optimize=True)


def _convolution(node: Value, x: Array, y: Array) -> Array:
    """A product over the channels for each position in the window, summed."""
    v, dtype = convolution_of(node.operation), node.type.dtype
    lhs, rhs = (a.astype(np.int64) if dtype is BOOL else upcast(a, dtype) for a in (x, y))
    lhs, rhs = lhs.transpose(v.lhs_dims), rhs.transpose(v.rhs_dims)
    axes = range(2, 2 + v.rank)
    rhs = np.flip(rhs, tuple(a for a, turned in zip(axes, v.reversal, strict=True) if turned))
    edges = ((0, 0, *v.low), (0, 0, *v.high))
    padded = spread(lhs, (1, 1, *v.lhs_dilation), *edges, lhs.dtype.type(0))
    padded = padded.reshape(v.batch, v.groups, v.channels, *v.padded)
    rhs = rhs.reshape(v.groups, v.features, v.channels, prod(v.window))
    result = np.zeros((v.batch, v.groups, v.features, *v.out), rhs.dtype)
    for number, at in enumerate(slices(v.out, v.window, v.strides, v.rhs_dilation)):
        result += np.einsum("bgc...,goc->bgo...", padded[(slice(None),) * 3 + at], rhs[..., number])
    result = result.reshape(v.batch, v.groups * v.features, *v.out).transpose(inverse(v.out_dims))
    return result != 0 if dtype is BOOL else result


RULES: dict[str, Rule] = {
    "dot_general": _dot,
    "convolution": _convolution,
}
