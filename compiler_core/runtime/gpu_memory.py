"""A GPU program's memory: an arena for intermediate buffers, its inputs in the form that kernels
take, and its results."""

from collections.abc import Mapping
from typing import Any

import torch

from compiler_core.interop import arrays
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.types import TensorType
from compiler_core.plan.plan import Plan
from compiler_core.runtime.private import empty_on_gpu

# The alignment in bytes that kernels' vector accesses need (codegen/triton/offline.py).
_ALIGNED = 16


def arena(plan: Plan, device: str) -> dict[str, torch.Tensor]:
    """One allocation for all intermediate buffers, each a typed window at its planned place."""
    whole = torch.empty(plan.arena_bytes, dtype=torch.uint8, device=device)
    windows = {}
    for place in plan.placements:
        if place.offset is not None:
            raw = whole[place.offset : place.offset + place.type.bytes]
            windows[place.name] = raw.view(TORCH[place.type.dtype.name]).view(place.type.shape)
    return windows


class Fresh:
    """A buffer that each call allocates. Its shape and strides are computed once, since a type
    computes them anew each time, which takes as long as a launch."""

    def __init__(self, name: str, kind: TensorType, device: torch.device) -> None:
        self.name = name
        like = torch.empty(kind.shape, dtype=TORCH[kind.dtype.name], device="meta")
        self._dense = (tuple(like.size()), tuple(like.stride()))
        self._dtype, self._device = like.dtype, device

    def empty(self) -> torch.Tensor:
        if self._device.type == "cuda":
            return empty_on_gpu(*self._dense, self._dtype)
        return torch.empty_strided(*self._dense, dtype=self._dtype, device=self._device)


class Given:
    """An input in the form that kernels take."""

    def __init__(self, name: str, kind: TensorType, device: torch.device) -> None:
        self.name, self._shape, self._device = name, torch.Size(kind.shape), device
        self._on_gpu = device.type == "cuda"

    def dense(self, argument: Any) -> torch.Tensor:
        """The argument itself, or a dense copy on the GPU if it is not contiguous, begins at an
        unaligned address, or is a CPU tensor: a number that the program holds."""
        plain = type(argument) is torch.Tensor and not argument.requires_grad
        tensor = argument if plain else arrays.to_torch(argument)
        if tensor.is_cuda != self._on_gpu:
            tensor = tensor.to(self._device)
        if not tensor.is_contiguous():
            tensor = tensor.contiguous()
        if tensor.shape != self._shape:
            tensor = tensor.view(self._shape)
        return tensor if tensor.data_ptr() % _ALIGNED == 0 else tensor.clone()


class Result:
    """An output: a buffer viewed with the output's shape, copied if it is also an input or another
    output."""

    def __init__(self, name: str, kind: TensorType, copied: bool) -> None:
        self.name, self._shape, self._copied = name, torch.Size(kind.shape), copied

    def of(self, memory: Mapping[str, torch.Tensor]) -> torch.Tensor:
        tensor = memory[self.name]
        if tensor.shape != self._shape:
            tensor = tensor.view(self._shape)
        return tensor.clone() if self._copied else tensor
