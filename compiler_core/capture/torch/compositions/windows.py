"""Pooling over windows of several sizes: adaptive pooling, whose windows divide the image as evenly
as whole numbers can, and fractional pooling, whose windows begin at random positions."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from compiler_core.capture.torch.compositions.gradients import gradients


def _adaptive(size: int, count: int) -> tuple[Tensor, Tensor, int]:
    """Where each of `count` windows over `size` elements begins and ends, and how long the longest
    is: window i is from floor(i size / count) to ceil((i + 1) size / count)."""
    at = torch.arange(count)
    longest = max(
        (-(-(i + 1) * size // count) - i * size // count for i in range(count)), default=0
    )
    return at * size // count, ((at + 1) * size + count - 1) // count, longest


def _rows(size: int, count: int) -> tuple[Tensor, Tensor]:
    """The elements of each window, [count, longest], and which of them it has: a shorter window
    has its last element again."""
    start, end, longest = _adaptive(size, count)
    at = start.unsqueeze(1) + torch.arange(longest)
    return torch.minimum(at, end.unsqueeze(1) - 1), at < end.unsqueeze(1)


def _spread(x: Tensor, dim: int, rank: int) -> Tensor:
    """[count, longest] for dimension `dim` of windows [*counts, *longest]."""
    shape = [1] * (2 * rank)
    shape[dim], shape[rank + dim] = x.shape
    return x.reshape(shape)


def _adaptive_max(rank: int) -> Callable[..., object]:
    def rule(x: Tensor, counts: Sequence[int]) -> tuple[Tensor, Tensor]:
        sizes = x.shape[-rank:]
        if all(size % count == 0 for size, count in zip(sizes, counts, strict=True)):
            kernel = [size // count for size, count in zip(sizes, counts, strict=True)]
            pool = functional.max_pool2d if rank == 2 else functional.max_pool3d
            result: tuple[Tensor, Tensor] = pool(x, kernel, return_indices=True)
            return result
        each = enumerate(zip(sizes, counts, strict=True))
        at = [_spread(_rows(size, count)[0], d, rank) for d, (size, count) in each]
        return _greatest(x, at, rank)

    return rule


def _greatest(x: Tensor, at: Sequence[Tensor], rank: int) -> tuple[Tensor, Tensor]:
    """The greatest of each window and its place in the image, of the elements `at` the places of
    each dimension, which broadcast to [..., *counts, *longest]."""
    place = at[0]
    for each, size in zip(at[1:], x.shape[-rank + 1 :], strict=True):
        place = place * size + each
    lead = x.shape[:-rank]
    found = x.flatten(-rank)
    if place.dim() == 2 * rank:
        values = found[..., place.reshape(-1)].reshape(*lead, *place.shape)
    else:
        values = found.gather(-1, place.flatten(len(lead))).reshape(place.shape)
    value, which = values.flatten(-rank).max(-1)
    places = place.expand(values.shape).flatten(-rank)
    return value, places.gather(-1, which.unsqueeze(-1)).squeeze(-1)


def _adaptive_max_backward(rank: int) -> Callable[..., object]:
    def rule(grad: Tensor, x: Tensor, places: Tensor) -> Tensor:
        zeros = torch.zeros_like(x.flatten(-rank))
        return zeros.scatter_add(-1, places.flatten(-rank), grad.flatten(-rank)).reshape(x.shape)

    return rule


def _adaptive_average(rank: int) -> Callable[..., Tensor]:
    def rule(x: Tensor, counts: Sequence[int]) -> Tensor:
        """One dimension after another: a window is a box."""
        for d, count in enumerate(counts):
            dim = x.dim() - rank + d
            at, inside = _rows(x.shape[dim], count)
            taken = x.index_select(dim, at.reshape(-1)).unflatten(dim, at.shape)
            shape = [1] * taken.dim()
            shape[dim], shape[dim + 1] = at.shape
            own = inside.reshape(shape)
            x = torch.where(own, taken, 0).sum(dim + 1) / own.sum(dim + 1).to(x.dtype)
        return x

    return rule


def _adaptive_average_backward(rank: int) -> Callable[..., Tensor]:
    def rule(grad: Tensor, x: Tensor) -> Tensor:
        forward = _adaptive_average(rank)
        return gradients(lambda image: forward(image, grad.shape[-rank:]), grad, (x,))[0]

    return rule


def _fractional_max(rank: int) -> Callable[..., object]:
    """torch's samples are [N, C, rank]: of a volume, for its dimensions in order; of an image, for
    its columns first."""

    def rule(
        x: Tensor, kernel: Sequence[int], counts: Sequence[int], samples: Tensor
    ) -> tuple[Tensor, Tensor]:
        order = (1, 0) if rank == 2 else (0, 1, 2)
        samples = samples if x.dim() == rank + 2 else samples[0]
        at = []
        for d in range(rank):
            first = _first(
                samples[..., order[d]], x.shape[x.dim() - rank + d], kernel[d], counts[d]
            )
            shape = [1] * (2 * rank)
            shape[d] = counts[d]
            inner = [1] * (2 * rank)
            inner[rank + d] = kernel[d]
            at.append(
                first.reshape(*first.shape[:-1], *shape) + torch.arange(kernel[d]).reshape(inner)
            )
        whole = torch.broadcast_shapes(*(each.shape for each in at))
        return _greatest(x, [each.expand(whole) for each in at], rank)

    return rule


def _first(sample: Tensor, size: int, kernel: int, count: int) -> Tensor:
    """Where the windows begin: the last at the end, the others as a random shift of even steps
    has it."""
    step = (size - kernel) / (count - 1) if count > 1 else 0.0
    at = torch.arange(count, dtype=sample.dtype)
    shift = sample.unsqueeze(-1)
    begin = ((at + shift) * step).long() - (shift * step).long()
    return torch.where(at == count - 1, size - kernel, begin)


def _fractional_max_backward(rank: int) -> Callable[..., object]:
    def rule(
        grad: Tensor, x: Tensor, kernel: Sequence[int], counts: Sequence[int], places: Tensor
    ) -> object:
        return _adaptive_max_backward(rank)(grad, x, places)

    return rule


TABLE: dict[str, Callable[..., object]] = {
    "adaptive_max_pool2d": _adaptive_max(2),
    "adaptive_max_pool2d_backward": _adaptive_max_backward(2),
    "adaptive_max_pool3d": _adaptive_max(3),
    "adaptive_max_pool3d_backward": _adaptive_max_backward(3),
    "_adaptive_avg_pool2d_backward": _adaptive_average_backward(2),
    "_adaptive_avg_pool3d": _adaptive_average(3),
    "_adaptive_avg_pool3d_backward": _adaptive_average_backward(3),
    "fractional_max_pool2d": _fractional_max(2),
    "fractional_max_pool2d_backward": _fractional_max_backward(2),
    "fractional_max_pool3d": _fractional_max(3),
    "fractional_max_pool3d_backward": _fractional_max_backward(3),
}
