"""Reductions and scans in torch."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from compiler_core.errors import Unsupported
from compiler_core.ir.eval_torch.context import Context, Rule, in_order
from compiler_core.ir.evaluate import identity
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL


def _reduce(c: Context, n: Value, x: Any) -> Any:
    dimensions, shape, dtype = sorted(n["dimensions"]), n.operands[0].type.shape, n.type.dtype
    if not dimensions:
        return x
    if not all(shape[d] for d in dimensions):
        return c.full(identity(n["monoid"], dtype), dtype, n.type.sizes)
    folds = _BOOL_FOLDS if dtype is BOOL else _FOLDS
    return in_order(dtype, folds[n["monoid"]](_ordered_for(n, x), dimensions, shape))


def _ordered_for(n: Value, x: Any) -> Any:
    return in_order(n.type.dtype, x) if n["monoid"] in ("maximum", "minimum") else x


def _product(x: Any, dimensions: Sequence[int], shape: Sequence[int]) -> Any:
    for dimension in reversed(dimensions):
        x = torch.prod(x, dimension, dtype=x.dtype)
    return x


def _tree(function: Callable[..., Any]) -> Callable[..., Any]:
    """A fold that torch has no reduction for: halves against each other."""

    def fold(x: Any, dimensions: Sequence[int], shape: Sequence[int]) -> Any:
        for d in reversed(dimensions):
            size = shape[d]
            while size > 1:
                half, odd = divmod(size, 2)
                pairs = function(x.narrow(d, 0, half), x.narrow(d, half, half))
                x = torch.cat([pairs, x.narrow(d, size - 1, 1)], d) if odd else pairs
                size = half + odd
            x = x.squeeze(d)
        return x

    return fold


def _any(x: Any, dimensions: list[int], shape: Sequence[int]) -> Any:
    return torch.any(x, dimensions)


def _all(x: Any, dimensions: list[int], shape: Sequence[int]) -> Any:
    return torch.all(x, dimensions)


_FOLDS: dict[str, Callable[..., Any]] = {
    "add": lambda x, dimensions, _: torch.sum(x, dimensions, dtype=x.dtype),
    "multiply": _product,
    "maximum": lambda x, dimensions, _: torch.amax(x, dimensions),
    "minimum": lambda x, dimensions, _: torch.amin(x, dimensions),
    "and": _tree(torch.bitwise_and),
    "or": _tree(torch.bitwise_or),
}


_BOOL_FOLDS: dict[str, Callable[..., Any]] = {
    "add": _any, "maximum": _any, "or": _any, "multiply": _all, "minimum": _all, "and": _all,
}  # fmt: skip


_SCANS: dict[str, Callable[..., Any]] = {
    "add": lambda x, d: torch.cumsum(x, d, dtype=x.dtype),
    "multiply": lambda x, d: torch.cumprod(x, d, dtype=x.dtype),
    "maximum": lambda x, d: torch.cummax(x, d)[0],
    "minimum": lambda x, d: torch.cummin(x, d)[0],
}


_BOOL_SCANS = {"add": "maximum", "or": "maximum", "multiply": "minimum", "and": "minimum"}


def _cumulative(c: Context, n: Value, x: Any) -> Any:
    dtype, dimension, monoid = n.type.dtype, n["dimension"], n["monoid"]
    scan = _SCANS.get(_BOOL_SCANS.get(monoid, monoid) if dtype is BOOL else monoid)
    if scan is None:
        raise Unsupported(f"torch has no cumulative {monoid} of {dtype}")
    turned = _ordered_for(n, torch.flip(x, [dimension]) if n["reverse"] else x)
    result = scan(turned, dimension) if n.type.numel else turned
    result = _ordered_for(n, result)
    return torch.flip(result, [dimension]) if n["reverse"] else result


RULES: dict[str, Rule] = {
    "reduce": _reduce,
    "cumulative": _cumulative,
}
