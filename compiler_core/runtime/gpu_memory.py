"""A GPU program's memory: an arena for what lies between its launches, its inputs as kernels take
them, and its results."""

from typing import Any

import torch

from compiler_core.interop import arrays
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.types import TensorType
from compiler_core.plan.plan import Plan

# What kernels' vectors of elements ask of an address (codegen/triton/offline.py).
_ALIGNED = 16


def empty(kind: TensorType, device: str) -> torch.Tensor:
    return torch.empty(kind.shape, dtype=TORCH[kind.dtype.name], device=device)


def arena(plan: Plan, device: str) -> dict[str, torch.Tensor]:
    """One allocation for all intermediate buffers, each a typed window at its planned place."""
    whole = torch.empty(plan.arena_bytes, dtype=torch.uint8, device=device)
    windows = {}
    for place in plan.placements:
        if place.offset is not None:
            raw = whole[place.offset : place.offset + place.type.bytes]
            windows[place.name] = raw.view(TORCH[place.type.dtype.name]).view(place.type.shape)
    return windows


def dense(argument: Any, kind: TensorType, device: str) -> torch.Tensor:
    """An argument, copied where it has gaps, begins at an odd address, or is the CPU's: a number
    that the program holds as a tensor."""
    tensor = arrays.to_torch(argument)
    tensor = tensor if tensor.device.type == device else tensor.to(device)
    tensor = tensor.contiguous().view(kind.shape)
    return tensor if tensor.data_ptr() % _ALIGNED == 0 else tensor.clone()


def returned(tensor: torch.Tensor, kind: TensorType, copied: bool) -> torch.Tensor:
    tensor = tensor.view(kind.shape)
    return tensor.clone() if copied else tensor
