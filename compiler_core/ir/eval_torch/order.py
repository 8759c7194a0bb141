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
    by_bits = operation["total"] and values.dtype.is_float
    keys = _bits(x, c.dtype(values.dtype)) if by_bits else in_order(values.dtype, x)
    order = torch.sort(keys, dim=-1, descending=True, stable=True).indices
    order = order.narrow(-1, 0, operation["k"])
    return x.gather(-1, order), order.to(c.dtype(index.dtype))


def _bits(x: Any, dtype: torch.dtype) -> Any:
    """Floats as integers in the order of their bits: sign, exponent, fraction."""
    integer = _INTEGERS[dtype.itemsize]
    bits = x.contiguous().view(integer)
    return bits ^ ((bits >> (8 * dtype.itemsize - 1)) & torch.iinfo(integer).max)


_INTEGERS = {2: torch.int16, 4: torch.int32, 8: torch.int64}
SEVERAL: dict[str, SeveralRule] = {"sort": _sort, "top_k": _top_k}
