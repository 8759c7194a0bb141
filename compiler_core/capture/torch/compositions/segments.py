"""Reductions of consecutive segments along a dimension, given by their lengths or offsets. The
dimensions before it are a batch, each with segments of its own."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

_START = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}
_REDUCE = {"sum": "sum", "mean": "sum", "prod": "prod", "max": "amax", "min": "amin"}


def _lengths(lengths: Tensor | None, offsets: Tensor | None) -> Tensor:
    if lengths is not None:
        return lengths
    assert offsets is not None
    return offsets[..., 1:] - offsets[..., :-1]


def _ends(lengths: Tensor | None, offsets: Tensor | None) -> Tensor:
    if lengths is not None:
        return lengths.cumsum(-1)
    assert offsets is not None
    return offsets[..., 1:].contiguous()


def _owner(data: Tensor, ends: Tensor) -> Tensor:
    """The segment of each element along the axis, which is the last dimension of `ends`; one
    more than there are for what is after the last."""
    size = data.shape[ends.dim() - 1]
    places = torch.arange(size, dtype=ends.dtype).expand(*ends.shape[:-1], size)
    return torch.searchsorted(ends, places.contiguous(), right=True)


def _spread(x: Tensor, like: Tensor) -> Tensor:
    """`x`, of the first dimensions of `like`, along all of them."""
    return x.reshape(*x.shape, *(1 for _ in range(like.dim() - x.dim()))).expand(
        *x.shape, *like.shape[x.dim() :]
    )


def _segment_reduce(
    data: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Tensor | None = None,
    offsets: Tensor | None = None, axis: int = 0, unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:  # fmt: skip
    count, ends = _lengths(lengths, offsets), _ends(lengths, offsets)
    axis, segments = ends.dim() - 1, ends.shape[-1]
    shape = (*data.shape[:axis], segments + 1, *data.shape[axis + 1 :])
    start = _START[reduce] if initial is None else initial
    owner = _spread(_owner(data, ends), data)
    every = torch.full(shape, start, dtype=data.dtype)
    found = every.scatter_reduce(axis, owner, data, _REDUCE[reduce]).narrow(axis, 0, segments)
    if reduce != "mean":
        return found
    sizes = _spread(count, found)
    # Of no elements the mean is the start, or none at all.
    empty = math.nan if initial is None else start
    return torch.where(sizes == 0, empty, found / sizes)


def _segment_reduce_backward(
    grad: Tensor, output: Tensor, data: Tensor, reduce: str, *, lengths: Tensor | None = None,
    offsets: Tensor | None = None, axis: int = 0, initial: float | None = None,
) -> Tensor:  # fmt: skip
    count, ends = _lengths(lengths, offsets), _ends(lengths, offsets)
    axis, owner = ends.dim() - 1, _owner(data, ends)
    inside = _spread(owner < ends.shape[-1], data)
    at = _spread(owner.clamp_max(ends.shape[-1] - 1), data)

    def mine(x: Tensor) -> Tensor:
        return x.gather(axis, at)

    def total(x: Tensor) -> Tensor:
        return mine(torch.zeros_like(output).scatter_add(axis, at, torch.where(inside, x, 0)))

    if reduce == "sum":
        share = mine(grad)
    elif reduce == "mean":
        share = mine(grad / _spread(count, output))
    elif reduce == "prod":
        share = mine(grad) * _others(data, total, mine, output)
    else:
        extreme = (data == mine(output)) | data.isnan()
        one = extreme.to(data.dtype)
        share = torch.where(extreme, mine(grad) / total(one), 0)
    return torch.where(inside, share, 0)


def _others(
    data: Tensor, total: Callable[[Tensor], Tensor], mine: Callable[[Tensor], Tensor],
    output: Tensor,
) -> Tensor:  # fmt: skip
    """The product of the other elements of each one's segment: what is left of the product after a
    division; the logarithms of the others where there is a zero."""
    zero = data == 0
    zeros = total(zero.to(data.dtype))
    kept = torch.where(zero, 1, data)
    size = total(kept.abs().log()).exp()
    odd = total((kept < 0).to(data.dtype)) % 2
    product = torch.where(odd == 1, -size, size)
    alone = torch.where(zero & (zeros == 1), product, 0)
    return torch.where(zeros == 0, mine(output) / kept, alone)


TABLE: dict[str, Callable[..., object]] = {
    "segment_reduce": _segment_reduce,
    "_segment_reduce_backward": _segment_reduce_backward,
}
