"""Views in numpy."""

import numpy as np

from compiler_core.ir.eval_numpy.values import Array, Rule
from compiler_core.ir.eval_numpy.windows import spread
from compiler_core.ir.graph import Value


def _broadcast(node: Value, x: Array) -> Array:
    sizes = [1] * node.type.rank
    for size, dimension in zip(x.shape, node["dimensions"], strict=True):
        sizes[dimension] = size
    return np.broadcast_to(x.reshape(sizes), node.type.sizes)


def _slice(node: Value, x: Array) -> Array:
    ranges = zip(node["start"], node["limit"], node["strides"], strict=True)
    return x[tuple(slice(*r) for r in ranges)]


def _pad(node: Value, x: Array, value: Array) -> Array:
    gaps = [i + 1 for i in node["interior"]]
    return spread(x, gaps, node["low"], node["high"], value)


RULES: dict[str, Rule] = {
    "broadcast_in_dim": _broadcast,
    "reshape": lambda n, x: x.reshape(n.type.shape),
    "transpose": lambda n, x: x.transpose(n["permutation"]),
    "slice": _slice,
    "reverse": lambda n, x: np.flip(x, tuple(n["dimensions"])),
    "concatenate": lambda n, *xs: np.concatenate(xs, n["dimension"]),
    "pad": _pad,
}
