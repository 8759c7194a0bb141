"""Views in numpy."""

import numpy as np

from compiler_core.ir.eval_numpy.values import Array, Rule
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
    spread = [s + max(0, s - 1) * i for s, i in zip(x.shape, node["interior"], strict=True)]
    dilated = np.full(spread, value, x.dtype)
    dilated[tuple(slice(None, None, i + 1) for i in node["interior"])] = x
    edges = list(zip(node["low"], node["high"], spread, strict=True))
    # Negative padding removes elements.
    cut = dilated[tuple(slice(max(0, -low), size + min(0, high)) for low, high, size in edges)]
    widths = [(max(0, low), max(0, high)) for low, high, _ in edges]
    return np.pad(cut, widths, constant_values=value)


RULES: dict[str, Rule] = {
    "broadcast_in_dim": _broadcast,
    "reshape": lambda n, x: x.reshape(n.type.shape),
    "transpose": lambda n, x: x.transpose(n["permutation"]),
    "slice": _slice,
    "reverse": lambda n, x: np.flip(x, tuple(n["dimensions"])),
    "concatenate": lambda n, *xs: np.concatenate(xs, n["dimension"]),
    "pad": _pad,
}
