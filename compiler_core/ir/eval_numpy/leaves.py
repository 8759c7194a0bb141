"""Constants in numpy."""

import numpy as np

from compiler_core.ir.eval_numpy.values import Array, Rule, dtype_of
from compiler_core.ir.graph import Value


def _iota(node: Value) -> Array:
    sizes = [1] * node.type.rank
    sizes[node["dimension"]] = -1
    index = np.arange(node.type.shape[node["dimension"]]).reshape(sizes)
    return np.broadcast_to(index, node.type.sizes)


RULES: dict[str, Rule] = {
    "constant": lambda n: np.full(n.type.shape, n["value"], dtype_of(n)),
    "iota": _iota,
}
