"""Reductions, scans and windows in torch.

torch's own function where it has one; otherwise (monoids with several components, bitwise ones)
elements are combined pairwise by halves.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from compiler_core.ir.eval_torch.combine import combine_of, halves, running
from compiler_core.ir.eval_torch.context import Context, SeveralRule, in_order
from compiler_core.ir.eval_torch.views import padded
from compiler_core.ir.graph import Operation, Value
from compiler_core.ir.monoids import MONOIDS, for_dtype
from compiler_core.ir.types import BOOL, DType

Tensors = tuple[Any, ...]

# -- one value each


def _ordered_for(monoid: str, dtype: DType, x: Any) -> Any:
    return in_order(dtype, x) if monoid in ("maximum", "minimum") else x


def _product(x: Any, dimensions: Sequence[int]) -> Any:
    for dimension in sorted(dimensions, reverse=True):
        x = torch.prod(x, dimension, dtype=x.dtype)
    return x


_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "add": lambda x, dimensions: torch.sum(x, dimensions, dtype=x.dtype),
    "multiply": _product,
    "maximum": torch.amax,
    "minimum": torch.amin,
}
_BOOL_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "or": torch.any, "and": torch.all,
}  # fmt: skip
_SCANS: dict[str, Callable[..., Any]] = {
    "add": lambda x, d: torch.cumsum(x, d, dtype=x.dtype),
    "multiply": lambda x, d: torch.cumprod(x, d, dtype=x.dtype),
    "maximum": lambda x, d: torch.cummax(x, d)[0],
    "minimum": lambda x, d: torch.cummin(x, d)[0],
}
_BOOL_SCANS = {"or": "maximum", "and": "minimum"}


def _identities(c: Context, operation: Operation, shape: tuple[int, ...]) -> Tensors:
    values = MONOIDS[operation["monoid"]].identity(operation.types[0].dtype)
    types = operation.types
    return tuple(c.full(v, t.dtype, shape) for v, t in zip(values, types, strict=True))


# -- reductions


def _reduce(c: Context, operation: Operation, *xs: Any) -> Tensors:
    shape = operation.operands[0].type.sizes
    dimensions = sorted(operation["dimensions"])
    if not dimensions:
        return xs
    if not all(shape[d] for d in dimensions):
        return _identities(c, operation, operation.types[0].sizes)
    return _reduced(c, operation, xs, dimensions, shape)


def _reduced(
    c: Context, operation: Operation, xs: Tensors, dimensions: list[int], shape: Sequence[int]
) -> Tensors:
    dtype = operation.types[0].dtype
    monoid = for_dtype(operation["monoid"], dtype)
    rule = (_BOOL_REDUCTIONS if dtype is BOOL else _REDUCTIONS).get(monoid)
    if rule is not None:
        ordered = _ordered_for(monoid, dtype, xs[0])
        return (_ordered_for(monoid, dtype, rule(ordered, dimensions)),)
    if monoid in _EXTREMA and len(dimensions) == 1 and _counts(operation, dimensions[0]):
        extremum = _EXTREMA[monoid](xs[0], dimensions[0])
        return extremum[0], extremum[1].to(c.dtype(operation.types[1].dtype))
    for d in reversed(dimensions):
        xs = halves(combine_of(c, operation), xs, d, shape[d])
    return xs


# torch's functions return the first of equal elements.
_EXTREMA: dict[str, Callable[..., Any]] = {"argmax": torch.max, "argmin": torch.min}


def _counts(operation: Operation, dimension: int) -> bool:
    """Whether the second operand is the index along `dimension`, of values that torch orders."""
    index: Value = operation.operands[1]
    counted = index.op == "iota" and index["dimension"] == dimension
    return counted and operation.types[0].dtype.name != "u64"


# -- scans


def _cumulative(c: Context, operation: Operation, *xs: Any) -> Tensors:
    dtype, d = operation.types[0].dtype, operation["dimension"]
    monoid = for_dtype(operation["monoid"], dtype)
    if not operation.types[0].numel:
        return xs
    xs = tuple(torch.flip(x, [d]) for x in xs) if operation["reverse"] else xs
    scan = _SCANS.get(_BOOL_SCANS.get(monoid, monoid) if dtype is BOOL else monoid)
    if scan is None:
        xs = running(combine_of(c, operation), xs, d, operation.types[0].sizes[d])
    else:
        ordered = _ordered_for(monoid, dtype, xs[0])
        xs = (_ordered_for(monoid, dtype, scan(ordered, d)),)
    return tuple(torch.flip(x, [d]) for x in xs) if operation["reverse"] else xs


# -- windows


def _reduce_window(c: Context, operation: Operation, *xs: Any) -> Tensors:
    """Windows become extra trailing dimensions, which are then reduced."""
    rank = operation.types[0].rank
    if not operation.types[0].numel:
        return _identities(c, operation, operation.types[0].sizes)
    values = MONOIDS[operation["monoid"]].identity(operation.types[0].dtype)
    framed = tuple(_framed(operation, x, v) for x, v in zip(xs, values, strict=True))
    shape = (*operation.types[0].sizes, *operation["window"])
    return _reduced(c, operation, framed, list(range(rank, 2 * rank)), shape)


def _framed(operation: Operation, x: Any, value: float | int | bool) -> Any:
    shape, base = operation.operands[0].type.sizes, operation["base_dilation"]
    interior = tuple(gap - 1 for gap in base)
    x = padded(x, shape, operation["low"], operation["high"], interior, value)
    sizes = zip(
        operation["window"], operation["strides"], operation["window_dilation"], strict=True
    )
    for d, (window, stride, dilation) in enumerate(sizes):
        x = x.unfold(d, (window - 1) * dilation + 1, stride)[..., ::dilation]
    return x


SEVERAL: dict[str, SeveralRule] = {
    "reduce": _reduce,
    "cumulative": _cumulative,
    "reduce_window": _reduce_window,
}
