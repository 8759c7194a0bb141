"""Constants in torch."""

from typing import Any

import torch

from compiler_core.ir.eval_torch.context import Context, Rule
from compiler_core.ir.graph import Value


def _iota(c: Context, n: Value) -> Any:
    dimension, shape = n["dimension"], n.type.shape
    # Counted as integers: torch counts in no unsigned type that it does not hold.
    index = c.make(torch.arange, shape[dimension], device=c.device).to(c.dtype(n.type.dtype))
    return index.reshape([-1 if i == dimension else 1 for i in range(len(shape))]).expand(shape)


RULES: dict[str, Rule] = {
    "constant": lambda c, n: c.full(n["value"], n.type.dtype, n.type.shape),
    "iota": _iota,
}
