"""Sorting in torch."""

from typing import Any

import torch

from compiler_core.ir.eval_torch.context import Context, SeveralRule, in_order
from compiler_core.ir.graph import Operation


def _sort(c: Context, operation: Operation, *xs: Any) -> tuple[Any, ...]:
    """From the last key to the first, each time keeping the order of what is equal."""
    d, keys = operation["dimension"], operation["keys"]
    dtypes = [t.dtype for t in operation.types]
    stable = operation["stable"] or keys > 1
    order, first = None, None
    for key in reversed(range(keys)):
        x = in_order(dtypes[key], xs[key])
        x = x if order is None else torch.gather(x, d, order)
        first, found = torch.sort(x, dim=d, descending=operation["descending"], stable=stable)
        order = found if order is None else torch.gather(order, d, found)
    return (in_order(dtypes[0], first), *(torch.gather(x, d, order) for x in xs[1:]))


def _top_k(c: Context, operation: Operation, x: Any) -> tuple[Any, ...]:
    """torch.topk does not specify the order of equal elements; a stable sort gives the first
    ones."""
    values, index = operation.types
    ordered = torch.sort(in_order(values.dtype, x), dim=-1, descending=True, stable=True)
    found = (ordered[i].narrow(-1, 0, operation["k"]) for i in range(2))
    return in_order(values.dtype, next(found)), next(found).to(c.dtype(index.dtype))


SEVERAL: dict[str, SeveralRule] = {"sort": _sort, "top_k": _top_k}
