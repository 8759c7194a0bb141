"""Contractions in numpy."""

import numpy as np

from compiler_core.ir.eval_numpy.values import Array, Rule, upcast
from compiler_core.ir.evaluate import einsum_text
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL


def _dot(node: Value, x: Array, y: Array) -> Array:
    dtype = node.type.dtype
    if dtype is BOOL:
        return np.einsum(einsum_text(node), x.astype(np.int64), y.astype(np.int64)) != 0
    return np.einsum(einsum_text(node), upcast(x, dtype), upcast(y, dtype), optimize=True)


RULES: dict[str, Rule] = {
    "dot_general": _dot,
}
