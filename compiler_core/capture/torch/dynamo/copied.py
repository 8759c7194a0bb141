"""Copies of the tensors that a program is given, which share memory where these do."""

from collections.abc import Sequence

import numpy as np
import torch

from compiler_core.capture.fresh import Draw, resample
from compiler_core.capture.torch.arguments import redrawn_one


def copies(
    tensors: Sequence[torch.Tensor], upcast: torch.dtype | None = None
) -> list[torch.Tensor]:
    """Copies of the tensors: one copy of a tensor that occurs twice, and copies that share memory
    where the originals do. With `upcast`, floating-point ones are of that type."""
    shared: dict[tuple[int, torch.dtype], torch.Tensor] = {}
    copied = {id(t): _copy(t, upcast if t.is_floating_point() else None, shared) for t in tensors}
    return [copied[id(t)] for t in tensors]


def filled(tensors: list[torch.Tensor], values: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The tensors with other values in them. Elements that share memory because a stride is 0 get
    the value of the first."""
    for tensor, value in zip(tensors, values, strict=True):
        once = tuple(slice(None) if stride else slice(1) for stride in tensor.stride())
        tensor.detach()[once].copy_(value[once])
    return tensors


def redrawn(
    tensors: Sequence[torch.Tensor], seed: int, draw: Draw = resample
) -> list[torch.Tensor]:
    """Copies of the tensors with other values, drawn by `seed` (capture/fresh.py)."""
    generator = np.random.default_rng(seed)
    return filled(copies(tensors), [redrawn_one(t, generator, draw) for t in tensors])


def _copy(
    tensor: torch.Tensor,
    upcast: torch.dtype | None,
    shared: dict[tuple[int, torch.dtype], torch.Tensor],
) -> torch.Tensor:
    tensor = tensor.resolve_conj().resolve_neg()
    storage = tensor.detach().untyped_storage()
    key = storage._cdata, tensor.dtype
    if key not in shared:
        flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(storage)
        shared[key] = flat.to(upcast or tensor.dtype, copy=True)
    view = shared[key].as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
    return view.detach().requires_grad_(tensor.requires_grad)
