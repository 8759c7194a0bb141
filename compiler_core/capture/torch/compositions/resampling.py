"""Antialiased resizing of images, which removes the frequencies that the new size cannot hold, and
the gradients of padding."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from compiler_core.capture.torch.compositions.gradients import gradients

Filter = Callable[[Tensor], Tensor]


def _triangle(x: Tensor) -> Tensor:
    return (1 - x.abs()).clamp_min(0)


def _cubic(x: Tensor) -> Tensor:
    """Keys's convolution kernel with a = -1/2, as torch has it for antialiasing."""
    x = x.abs()
    near = ((1.5 * x - 2.5) * x) * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return torch.where(x < 1, near, torch.where(x < 2, far, 0))


def _resized(
    x: Tensor, dim: int, count: int, corners: bool, scale: float | None, half: int, weigh: Filter
) -> Tensor:
    """Along one dimension: each new element is a weighted mean of those within `half` steps of
    where it is, steps of the larger grid."""
    size = x.shape[dim]
    if corners:
        step = (size - 1) / (count - 1) if count > 1 else 0.0
    else:
        step = 1 / scale if scale else size / count
    stretch = max(1.0, step)
    reach = half * stretch
    center = step * (torch.arange(count, dtype=x.dtype) + 0.5)
    first = (center - reach + 0.5).long().clamp_min(0)
    last = (center + reach + 0.5).long().clamp_max(size)
    at = first.unsqueeze(1) + torch.arange(math.ceil(reach) * 2 + 1)
    within = at < last.unsqueeze(1)
    weight = torch.where(within, weigh((at - center.unsqueeze(1) + 0.5) / stretch), 0)
    weight = weight / weight.sum(1, keepdim=True)
    taken = x.index_select(dim, at.clamp_max(size - 1).reshape(-1)).unflatten(dim, at.shape)
    around = [1] * taken.dim()
    around[dim], around[dim + 1] = at.shape
    # What is beyond is not read: a NaN would count without any weight.
    taken = torch.where(within.reshape(around), taken, 0)
    return (taken * weight.reshape(around)).sum(dim + 1)


def _antialiased(half: int, weigh: Filter) -> Callable[..., Tensor]:
    def rule(
        x: Tensor, size: Sequence[int], corners: bool, scale_h: float | None = None,
        scale_w: float | None = None,
    ) -> Tensor:  # fmt: skip
        rows = _resized(x, 3, size[1], corners, scale_w, half, weigh)
        return _resized(rows, 2, size[0], corners, scale_h, half, weigh)

    return rule


def _backward(forward: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def rule(
        grad: Tensor, size: Sequence[int], given: Sequence[int], corners: bool, *scales: Any
    ) -> Tensor:
        def resized(x: Tensor) -> Tensor:
            return forward(x, size, corners, *scales)

        return gradients(resized, grad, (grad.new_zeros(given),))[0]

    return rule


def _replicated_backward(rank: int) -> Callable[..., Tensor]:
    """Of padding with the nearest element, dimension by dimension; the last one is named first."""

    def rule(grad: Tensor, x: Tensor, padding: Sequence[int]) -> Tensor:
        def padded(image: Tensor) -> Tensor:
            for d in range(rank):
                low, high = padding[2 * d], padding[2 * d + 1]
                size = x.shape[x.dim() - 1 - d]
                at = (torch.arange(size + low + high) - low).clamp(0, size - 1)
                image = image.index_select(x.dim() - 1 - d, at)
            return image

        return gradients(padded, grad, (x,))[0]

    return rule


_BILINEAR, _BICUBIC = _antialiased(1, _triangle), _antialiased(2, _cubic)
TABLE: dict[str, Callable[..., object]] = {
    "_upsample_bilinear2d_aa": _BILINEAR,
    "_upsample_bilinear2d_aa_backward": _backward(_BILINEAR),
    "_upsample_bicubic2d_aa": _BICUBIC,
    "_upsample_bicubic2d_aa_backward": _backward(_BICUBIC),
    "replication_pad1d_backward": _replicated_backward(1),
    "replication_pad2d_backward": _replicated_backward(2),
    "replication_pad3d_backward": _replicated_backward(3),
}
