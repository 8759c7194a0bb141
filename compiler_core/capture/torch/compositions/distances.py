"""Distances between rows: of every row of one matrix to every row of another, or to the later rows
of the same matrix."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

# From this number of rows on, torch computes Euclidean distances by a matrix product.
_MANY = 25
_USE, _DO_NOT_USE = 1, 2


def _norm(difference: Tensor, p: float) -> Tensor:
    """Over the last dimension; 0 where it is empty."""
    magnitude = difference.abs()
    if p == 0:
        return (magnitude != 0).to(magnitude.dtype).sum(-1)
    if p == math.inf:
        return magnitude.amax(-1) if magnitude.shape[-1] else magnitude.sum(-1)
    if p == 1:
        return magnitude.sum(-1)
    if p == 2:
        return (magnitude * magnitude).sum(-1).sqrt()
    return magnitude.pow(p).sum(-1).pow(1 / p)


def _cdist(x: Tensor, y: Tensor, p: float, mode: int | None) -> Tensor:
    many = x.shape[-2] > _MANY or y.shape[-2] > _MANY
    if p == 2 and mode != _DO_NOT_USE and (many or mode == _USE):
        return _euclidean(x, y)
    difference = x.unsqueeze(-2) - y.unsqueeze(-3)
    if p == math.inf:
        # Over a NaN torch's kernel passes, unlike that for the rows of one matrix.
        difference = torch.where(difference.isnan(), 0, difference)
    return _norm(difference, p)


def _euclidean(x: Tensor, y: Tensor) -> Tensor:
    """|x|^2 - 2xy + |y|^2, from one product of matrices, as torch computes it."""
    x_norm, y_norm = (v.pow(2).sum(-1, keepdim=True) for v in (x, y))
    left = torch.cat([-2 * x, x_norm, torch.ones_like(x_norm)], -1)
    right = torch.cat([y, torch.ones_like(y_norm), y_norm], -1)
    return torch.matmul(left, right.mT).clamp_min(0).sqrt()


def _towards(difference: Tensor, distance: Tensor, p: float) -> Tensor:
    """The derivative of each distance by its differences; 0 where there is none, as torch has
    it, and NaN where a difference is, whose sign would be 0."""
    sign = torch.where(difference.isnan(), difference, difference.sign())
    magnitude = difference.abs()
    if p == 0:
        return torch.zeros_like(difference)
    if p == 1:
        return sign
    if p == math.inf:
        # 1 for the largest, and as torch has it NaN beside an infinite distance or one that is NaN.
        return sign * (1 - (magnitude - distance).abs().ceil().clamp_max(1))
    none = distance == 0
    if p < 1:
        none = none | (difference == 0)
    slope = sign * magnitude.pow(p - 1) / distance.pow(p - 1)
    return torch.where(none, 0, slope)


def _cdist_backward(grad: Tensor, x: Tensor, y: Tensor, p: float, distances: Tensor) -> Tensor:
    difference = x.unsqueeze(-2) - y.unsqueeze(-3)
    slope = _towards(difference, distances.unsqueeze(-1), p)
    return (grad.unsqueeze(-1) * slope).sum(-2)


def _pairs(rows: int) -> tuple[Tensor, Tensor]:
    """The places of each pair's rows, the first before the second, in the order of the first."""
    first = torch.arange(rows - 1)
    # Row i begins so many pairs, and so many are begun up to it.
    ends = (first + 1) * (rows - 1) - first * (first + 1) // 2
    pair = torch.arange(rows * (rows - 1) // 2)
    owner = torch.searchsorted(ends, pair, right=True)
    return owner, pair - ends[owner] + rows


def _pdist(x: Tensor, p: float = 2.0) -> Tensor:
    if x.shape[0] < 2:
        return x.new_zeros(0)
    first, second = _pairs(x.shape[0])
    return _norm(x[first] - x[second], p)


def _pdist_backward(grad: Tensor, x: Tensor, p: float, distances: Tensor) -> Tensor:
    if x.shape[0] < 2:
        return torch.zeros_like(x)
    first, second = _pairs(x.shape[0])
    slope = _towards(x[first] - x[second], distances.unsqueeze(-1), p)
    pulled = grad.unsqueeze(-1) * slope
    return torch.zeros_like(x).index_add(0, first, pulled).index_add(0, second, -pulled)


def _trilinear(
    x: Tensor, y: Tensor, z: Tensor, expand_x: list[int], expand_y: list[int],
    expand_z: list[int], summed: list[int], *_: Any,
) -> Tensor:  # fmt: skip
    """A product of three, each without some of the dimensions, summed over others."""
    rank = x.dim() + len(expand_x)
    letters = "abcdefghijklmnopqrstuvwxyz"[:rank]
    given = ("".join(c for d, c in enumerate(letters) if d not in e)
             for e in (expand_x, expand_y, expand_z))  # fmt: skip
    kept = "".join(c for d, c in enumerate(letters) if d not in summed)
    result: Tensor = torch.einsum(f"{','.join(given)}->{kept}", x, y, z)
    return result


TABLE: dict[str, Callable[..., object]] = {
    "_cdist_forward": _cdist,
    "_cdist_backward": _cdist_backward,
    "_pdist_forward": _pdist,
    "_pdist_backward": _pdist_backward,
    "_trilinear": _trilinear,
}
