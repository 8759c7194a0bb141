"""Views, reductions, scans and contractions in torch."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn.functional import pad

from compiler_core.errors import Unsupported
from compiler_core.ir.evaluate import einsum_text, identity
from compiler_core.ir.graph import Value
from compiler_core.ir.torch_rules.held import Context, Rule, in_order, number
from compiler_core.ir.types import BOOL

# -- views


def _broadcast(c: Context, n: Value, x: Any) -> Any:
    shape, dimensions = n.type.shape, tuple(n["dimensions"])
    # torch aligns at the right by itself.
    if dimensions == tuple(range(len(shape) - len(dimensions), len(shape))):
        return x.expand(shape)
    sizes = [1] * len(shape)
    for size, dimension in zip(n.operands[0].type.shape, dimensions, strict=True):
        sizes[dimension] = size
    return x.reshape(sizes).expand(shape)


def _slice(c: Context, n: Value, x: Any) -> Any:
    ranges = zip(n["start"], n["limit"], n["strides"], strict=True)
    # A tuple of no slices would be a copy in a recorded program.
    return x[tuple(slice(*r) for r in ranges)] if n.type.rank else x


def _pad(c: Context, n: Value, x: Any, value: Any) -> Any:
    fill = number(n.operands[1])
    if fill is not None:
        return _padded(n, x, fill)
    inside = _padded(n, torch.ones_like(x, dtype=torch.bool), False)
    return torch.where(inside, _padded(n, x, 0), value)


def _padded(n: Value, x: Any, fill: float | int | bool) -> Any:
    rank = n.type.rank
    for i, (size, gap) in enumerate(zip(n.operands[0].type.shape, n["interior"], strict=True)):
        if gap and size:
            # Each element is followed by its gap; the last one's is cut off.
            widened = pad(x.unsqueeze(i + 1), [0, 0] * (rank - 1 - i) + [0, gap], value=fill)
            x = widened.flatten(i, i + 1).narrow(i, 0, size + (size - 1) * gap)
    edges = zip(reversed(n["low"]), reversed(n["high"]), strict=True)
    return pad(x, [width for edge in edges for width in edge], value=fill)


def _iota(c: Context, n: Value) -> Any:
    dimension, shape = n["dimension"], n.type.shape
    # Counted as integers: torch counts in no unsigned type that it does not hold.
    index = c.make(torch.arange, shape[dimension], device=c.device).to(c.dtype(n.type.dtype))
    return index.reshape([-1 if i == dimension else 1 for i in range(len(shape))]).expand(shape)


# -- reductions


def _reduce(c: Context, n: Value, x: Any) -> Any:
    dimensions, shape, dtype = sorted(n["dimensions"]), n.operands[0].type.shape, n.type.dtype
    if not dimensions:
        return x
    if not all(shape[d] for d in dimensions):
        return c.full(identity(n["monoid"], dtype), dtype, n.type.shape)
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


# -- scans

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


# -- contractions


def _dot(c: Context, n: Value, x: Any, y: Any) -> Any:
    if n.type.dtype is BOOL:
        return _product_of(n, x.to(torch.int32), y.to(torch.int32)) != 0
    return _product_of(n, x, y)


def _product_of(n: Value, x: Any, y: Any) -> Any:
    """As a person writes it: a matrix product where it is one, einsum for the rest."""
    lhs, rhs = (operand.type.rank - len(n["lhs_batch"]) for operand in n.operands)
    batch = list(range(len(n["lhs_batch"])))
    plain = list(n["lhs_batch"]) == list(n["rhs_batch"]) == batch and len(n["lhs_contract"]) == 1
    if not plain or lhs > 2 or rhs > 2 or (batch and min(lhs, rhs) < 2):
        return torch.einsum(einsum_text(n), x, y)
    left = x.mT if lhs == 2 and n["lhs_contract"][0] == len(batch) else x
    right = y.mT if rhs == 2 and n["rhs_contract"][0] == len(batch) + 1 else y
    return torch.matmul(left, right)


RULES: dict[str, Rule] = {
    "iota": _iota,
    "broadcast_in_dim": _broadcast,
    "reshape": lambda c, n, x: x.reshape(n.type.shape),
    "transpose": lambda c, n, x: x.permute(n["permutation"]),
    "slice": _slice,
    "reverse": lambda c, n, x: torch.flip(x, n["dimensions"]),
    "concatenate": lambda c, n, *xs: torch.cat(xs, n["dimension"]),
    "pad": _pad,
    "reduce": _reduce,
    "cumulative": _cumulative,
    "dot_general": _dot,
}
