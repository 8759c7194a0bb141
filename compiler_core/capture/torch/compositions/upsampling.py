"""Linear interpolation along one, two or three dimensions, as a weighted mean of neighbours.

torch's decomposition adds to one neighbour its weighted difference from the other, which is NaN
where one of them is infinite; its kernels (aten/src/ATen/native/cpu/UpSampleKernel.cpp) weight
both.
"""

from collections.abc import Callable, Sequence
from itertools import product

import torch
from torch import Tensor

from compiler_core.capture.torch.private import (
    decompositions,
    get_computation_dtype,
    suggest_memory_format,
)

_ATEN = torch.ops.aten


def _sources(
    count: int, size: int, corners: bool, scale: float | None, of: Tensor
) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """For each of `size` elements, its two neighbours among `count`, each with its weight, computed
    as for `of`."""
    at = torch.arange(size, device=of.device).to(get_computation_dtype(of.dtype))
    if corners:
        source = at * ((count - 1) / (size - 1) if size > 1 else 0.0)
    else:
        source = ((at + 0.5) * (1 / scale if scale else count / size) - 0.5).clamp_min(0)
    low = source.long()
    weight = (source - low).clamp(0, 1)
    return (low, 1 - weight), ((low + 1).clamp_max(count - 1), weight)


def _linear(operation: object) -> Callable[..., Tensor]:
    def rule(x: Tensor, size: Sequence[int], corners: bool, *scales: float | None) -> Tensor:
        if not x.is_floating_point():  # rounded, as torch has it
            rounded: Tensor = decompositions()[operation](x, size, corners, *scales)
            return rounded
        dtype, last = get_computation_dtype(x.dtype), len(size) - 1
        along = [
            [
                tuple(part.reshape(-1, *[1] * (last - dim)) for part in each)
                for each in _sources(x.shape[2 + dim], n, corners, scales[dim], x)
            ]
            for dim, n in enumerate(size)
        ]
        indices = ([None, None, *(at for at, _ in corner)] for corner in product(*along))
        found = [_ATEN._unsafe_index(x, index).to(dtype) for index in indices]
        for (_, left), (_, right) in reversed(along):
            pairs = zip(found[::2], found[1::2], strict=True)
            found = [a * left + b * right for a, b in pairs]
        return found[0].to(x.dtype).contiguous(memory_format=suggest_memory_format(x))

    return rule


def _by_factors(rule: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The same, given a size or factors."""

    def by_factors(
        x: Tensor, size: Sequence[int] | None, corners: bool, factors: Sequence[float] | None
    ) -> Tensor:
        sizes = size or [
            torch.sym_int(n * f) for n, f in zip(x.shape[2:], factors or (), strict=True)
        ]
        scales: Sequence[float | None] = factors or [None] * len(sizes)
        return rule(x, sizes, corners, *scales)

    return by_factors


_RULES = {
    name: _linear(getattr(_ATEN, name).default)
    for name in ("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d")
}
TABLE: dict[str, Callable[..., object]] = {
    **_RULES,
    **{f"{name}.vec": _by_factors(rule) for name, rule in _RULES.items()},
}
