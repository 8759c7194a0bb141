"""Gathers, scatters and slices at computed places, in torch."""

from collections.abc import Sequence
from math import prod
from typing import Any

import torch

from compiler_core.ir.eval_torch.context import SMALLEST, Context, Rule, in_order
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL, strides
from compiler_core.ir.windows import Arrays, places


def _arrays(c: Context) -> Arrays:
    def arange(size: int) -> Any:
        return c.make(torch.arange, size, device=c.device)

    return Arrays(arange, torch.where, torch.clamp)


def _signed(index: Value, x: Any) -> Any:
    """As int64: a u64 beyond its range, which is stored as a negative number, is the largest, which
    is out of bounds as well."""
    signed = x.to(torch.int64)
    unsigned = index.type.dtype.name == "u64"
    return torch.where(signed < 0, ~SMALLEST, signed) if unsigned else signed


def _gather(c: Context, n: Value, x: Any, indices: Any) -> Any:
    dtype, shape = n.type.dtype, n.type.sizes
    if not n.operands[0].type.numel or not n.type.numel:
        return c.full(n["fill"], dtype, shape)
    at, inside = places(n.operation, _signed(n.operands[1], indices), _arrays(c))
    found = x[tuple(at)].expand(shape)
    return found if inside is None else torch.where(inside, found, c.full(n["fill"], dtype, ()))


def _scatter(c: Context, n: Value, x: Any, indices: Any, updates: Any) -> Any:
    """On the flattened operand with one extra element, which takes the updates out of bounds and is
    cut off."""
    shape, given = n.type.sizes, n.operands[2].type.sizes
    if not n.type.numel or not prod(given):
        return x
    at, inside = places(n.operation, _signed(n.operands[1], indices), _arrays(c))
    flat: Any = c.make(torch.zeros, given, dtype=torch.int64, device=c.device)
    for index_along, step in zip(at, strides(shape), strict=True):
        flat = flat + index_along * step
    if inside is not None:
        flat = torch.where(inside, flat, n.type.numel)
    index = flat.reshape(-1)
    padded = torch.nn.functional.pad(x.reshape(-1), [0, 1])
    combined = _combined(n, padded, index, updates.reshape(-1))
    return combined.narrow(0, 0, n.type.numel).reshape(shape)


def _combined(n: Value, x: Any, index: Any, updates: Any) -> Any:
    dtype, combine = n.type.dtype, n["combine"]
    if combine == "set":
        return x.scatter(0, index, updates)
    if dtype is BOOL:
        combined = _combined_numbers(combine, x.to(torch.int32), index, updates.to(torch.int32))
        return combined != 0
    if combine in ("maximum", "minimum"):
        ordered = _combined_numbers(combine, in_order(dtype, x), index, in_order(dtype, updates))
        return in_order(dtype, ordered)
    return _combined_numbers(combine, x, index, updates)


def _combined_numbers(combine: str, x: Any, index: Any, updates: Any) -> Any:
    if combine == "add":
        return x.scatter_add(0, index, updates)
    return x.scatter_reduce(0, index, updates, _REDUCE[combine], include_self=True)


_REDUCE = {"multiply": "prod", "maximum": "amax", "minimum": "amin"}


def _clamped(n: Value, starts: Sequence[Any], sizes: Sequence[int]) -> list[Any]:
    """The starts, which are the last operands, so that a box of `sizes` is in bounds."""
    last = n.operands[len(n.operands) - len(starts) :]
    dims = zip(last, starts, sizes, n.operands[0].type.sizes, strict=True)
    return [torch.clamp(_signed(index, x), 0, most - size) for index, x, size, most in dims]


def _dynamic_slice(c: Context, n: Value, x: Any, *starts: Any) -> Any:
    shape, xp = n.operands[0].type.sizes, _arrays(c)
    firsts = _clamped(n, starts, n["sizes"])
    for d, (first, size) in enumerate(zip(firsts, n["sizes"], strict=True)):
        if size != shape[d]:
            x = x.index_select(d, first + xp.arange(size))
    return x


def _dynamic_update_slice(c: Context, n: Value, x: Any, update: Any, *starts: Any) -> Any:
    sizes, rank, xp = n.operands[1].type.sizes, n.type.rank, _arrays(c)
    if not rank or not prod(sizes):
        return x if rank else update
    firsts = zip(_clamped(n, starts, sizes), sizes, strict=True)
    at = [
        (first + xp.arange(size)).reshape([-1 if i == d else 1 for i in range(rank)])
        for d, (first, size) in enumerate(firsts)
    ]
    return torch.index_put(x, tuple(at), update)


RULES: dict[str, Rule] = {
    "gather": _gather,
    "scatter": _scatter,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
}
