"""Sampling of an image at positions between its elements (grid_sample), and its gradients."""

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import torch
from torch import Tensor

from compiler_core.capture.torch.compositions.gradients import gradients
from compiler_core.capture.torch.private import decompositions

_LINEAR, _NEAREST, _CUBIC = range(3)
_ZEROS, _BORDER, _REFLECTION = range(3)


def _at_f32(rule: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The rule for images of 16 bits: its places and weights in f32, as torch's decomposition has
    them (opmath). Rounded to bf16, as torch's vectors on a CPU have it, a place among 20 elements
    is off by a twelfth of one. The image is read as it is: in f32 it would be a copy in memory."""

    def computed(x: Tensor, grid: Tensor, *how: Any) -> Tensor:
        return rule(x, grid.float() if grid.element_size() == 2 else grid, *how).to(x.dtype)

    return computed


def _in_f32(rule: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The same with the image in f32: what its gradient gathers from many places is added there."""

    def computed(x: Tensor, grid: Tensor, *how: Any) -> Tensor:
        if x.element_size() > 2:
            return rule(x, grid, *how)
        return rule(x.float(), grid.float(), *how).to(x.dtype)

    return computed


def _reflected(at: Tensor, twice_low: int, twice_high: int) -> Tensor:
    """`at`, mirrored at two ends until it is between them. Twice the ends are whole."""
    if twice_low == twice_high:
        return torch.zeros_like(at)
    low, span = twice_low / 2, (twice_high - twice_low) / 2
    away = (at - low).abs()
    rest, flips = torch.fmod(away, span), (away / span).floor()
    return torch.where(torch.fmod(flips, 2) == 0, rest + low, span + low - rest)


def _at(grid: Tensor, size: int, padding: int, corners: bool) -> Tensor:
    """From -1 to 1 over the image to places of its elements."""
    at = (grid + 1) * ((size - 1) / 2) if corners else ((grid + 1) * size - 1) / 2
    if padding == _REFLECTION:
        at = _reflected(at, 0, 2 * (size - 1)) if corners else _reflected(at, -1, 2 * size - 1)
    if padding == _ZEROS:
        return at
    # What is no number is clipped to the last place, as by std::min(size - 1, NaN).
    return torch.where(at.isnan(), size - 1, at.clamp(0, size - 1))


def _sampled(x: Tensor, grid: Tensor, mode: int, padding: int, corners: bool) -> Tensor:
    """`grid`'s last dimension is x, y (and z of a volume): the dimensions of `x` from the last.
    What is outside adds nothing, also where an image has infinities, which no weight of 0 hides."""
    sizes = x.shape[2:]
    at = [_at(grid[..., -1 - d], size, padding, corners) for d, size in enumerate(sizes)]
    if mode == _NEAREST:
        return _corner(x, [each.round() for each in at], None)
    low = [each.floor() for each in at]
    result: Tensor | None = None
    for corner in product((0, 1), repeat=len(sizes)):
        weight = _weight(at, low, corner)
        part = _corner(x, [each + c for each, c in zip(low, corner, strict=True)], weight)
        result = part if result is None else result + part
    assert result is not None
    return result


def _weight(at: Sequence[Tensor], low: Sequence[Tensor], corner: Sequence[int]) -> Tensor:
    """How near a corner is, along all dimensions."""
    shares = [a - b if c else b + 1 - a for a, b, c in zip(at, low, corner, strict=True)]
    return prod(shares[1:], start=shares[0])


def _corner(x: Tensor, at: Sequence[Tensor], weight: Tensor | None) -> Tensor:
    """The elements at whole places [N, ...] of every channel; 0 outside."""
    inside = torch.ones_like(at[0], dtype=torch.bool)
    for each, size in zip(at, x.shape[2:], strict=True):
        inside = inside & (each >= 0) & (each < size)
    place = _place([torch.where(inside, each, 0) for each in at], x.shape[2:])
    found = x.flatten(2).gather(2, place.flatten(1).unsqueeze(1).expand(-1, x.shape[1], -1))
    kept = torch.where(inside.unsqueeze(1), found.unflatten(2, place.shape[1:]), 0)
    return kept if weight is None else kept * torch.where(inside, weight, 0).unsqueeze(1)


def _place(at: Sequence[Tensor], sizes: Sequence[int]) -> Tensor:
    """The elements' numbers in an image's memory. All channels read one of 32 bits, which is
    computed once for them: vectors of 64 are half as wide."""
    narrow = all(isinstance(n, int) for n in sizes) and prod(sizes) < 2**31
    whole = [each.to(torch.int32 if narrow else torch.int64) for each in at]
    place = whole[0]
    for each, size in zip(whole[1:], sizes[1:], strict=True):
        place = place * size + each
    return place.long()


def _backward(forward: Callable[..., Tensor]) -> Callable[..., Any]:
    """The gradients by the image and by the grid."""

    def rule(
        grad: Tensor, x: Tensor, grid: Tensor, mode: int, padding: int, corners: bool,
        wanted: Sequence[bool],
    ) -> tuple[Tensor | None, ...]:  # fmt: skip
        def sampled(image: Tensor, places: Tensor) -> Tensor:
            return forward(image, places, mode, padding, corners)

        found = gradients(sampled, grad, (x, grid))
        return tuple(each if want else None for each, want in zip(found, wanted, strict=True))

    return rule


def _cubic(*args: Any) -> Tensor:
    rule = decompositions()[torch.ops.aten.grid_sampler_2d.default]
    result: Tensor = rule(*args)
    return result


def _of_image(x: Tensor, grid: Tensor, mode: int, padding: int, corners: bool) -> Tensor:
    rule = _cubic if mode == _CUBIC else _sampled
    return rule(x, grid, mode, padding, corners)


def _numbers_2d(x: Tensor, grid: Tensor, mode: int, padding: int, corners: bool) -> Tensor:
    """Where a coordinate is no number, as torch's vectors do it on a CPU: a border is clipped to
    the first place, infinities are reflected to there, and beside zeros a weight is no number."""
    if mode == _CUBIC:
        return _cubic(x, grid, mode, padding, corners)
    if padding != _ZEROS:
        off = grid.isnan() if padding == _BORDER else ~grid.isfinite()
        return _sampled(x, torch.where(off, -1, grid), mode, padding, corners)
    result = _sampled(x, grid, mode, padding, corners)
    off = ~grid.isfinite().all(-1).unsqueeze(1)
    return torch.where(off, torch.nan, result) if mode == _LINEAR else result


TABLE: dict[str, Callable[..., object]] = {
    "grid_sampler_2d": _at_f32(_numbers_2d),
    "grid_sampler_3d": _at_f32(_sampled),
    "grid_sampler_2d_backward": _backward(_in_f32(_of_image)),
    "grid_sampler_3d_backward": _backward(_in_f32(_sampled)),
}
