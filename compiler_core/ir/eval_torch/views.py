"""Views in torch."""

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.functional import pad

from compiler_core.ir.eval_torch.context import Context, Rule, number
from compiler_core.ir.graph import Value


def _broadcast(c: Context, n: Value, x: Any) -> Any:
    shape, dimensions = n.type.sizes, tuple(n["dimensions"])
    # torch aligns at the right by itself.
    if dimensions == tuple(range(len(shape) - len(dimensions), len(shape))):
        return x.expand(shape)
    sizes = [1] * len(shape)
    for size, dimension in zip(n.operands[0].type.sizes, dimensions, strict=True):
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
    return padded(x, n.operands[0].type.sizes, n["low"], n["high"], n["interior"], fill)


def padded(
    x: Any,
    shape: Sequence[int],
    low: Sequence[int],
    high: Sequence[int],
    interior: Sequence[int],
    fill: float | int | bool,
) -> Any:
    """`x` of `shape` with `interior` elements `fill` between its own, `low` before and `high`
    after; negative numbers crop."""
    rank = len(shape)
    for i, (size, gap) in enumerate(zip(shape, interior, strict=True)):
        if gap and size:
            # Each element is followed by its gap; the last one's is cut off.
            spaced = pad(x.unsqueeze(i + 1), [0, 0] * (rank - 1 - i) + [0, gap], value=fill)
            x = spaced.flatten(i, i + 1).narrow(i, 0, size + (size - 1) * gap)
    return around(x, low, high, fill)


def around(x: Any, low: Sequence[int], high: Sequence[int], fill: float | int | bool) -> Any:
    """`x` with `low` elements before and `high` after along its last dimensions; negative numbers
    crop, what was added as well."""
    edges = [width for side in zip(reversed(low), reversed(high), strict=True) for width in side]
    added, cropped = [max(0, n) for n in edges], [min(0, n) for n in edges]
    if any(added) and any(cropped):
        x, edges = pad(x, added, value=fill), cropped
    return pad(x, edges, value=fill)


RULES: dict[str, Rule] = {
    "broadcast_in_dim": _broadcast,
    "reshape": lambda c, n, x: x.reshape(n.type.shape),
    "transpose": lambda c, n, x: x.permute(n["permutation"]),
    "slice": _slice,
    "reverse": lambda c, n, x: torch.flip(x, n["dimensions"]),
    "concatenate": lambda c, n, *xs: torch.cat(xs, n["dimension"]),
    "pad": _pad,
}
