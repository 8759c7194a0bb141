"""Tensors of one framework as those of the other: over the same memory where that is possible."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from compiler_core.ir.eval_numpy import to_torch as _numpy_to_torch


def to_torch(x: Any) -> torch.Tensor:
    """A jax.Array, a numpy array or a tensor as a tensor."""
    if isinstance(x, torch.Tensor):
        return x.detach()
    if isinstance(x, np.ndarray | np.generic):
        return _numpy_to_torch(np.asarray(x))
    return torch.from_dlpack(x.block_until_ready())


def to_torch_all(xs: Sequence[Any]) -> list[torch.Tensor]:
    return [to_torch(x) for x in xs]


def to_jax(x: Any) -> Any:
    """A tensor as a jax.Array of the same type, 64-bit ones included."""
    import jax

    if not isinstance(x, torch.Tensor):
        return x
    with jax.enable_x64(True):
        return jax.dlpack.from_dlpack(x.detach().contiguous())


def torch_leaves(result: Any) -> list[torch.Tensor]:
    """The tensors of a program's result, in order."""
    leaves = pytree.tree_leaves(result)
    return [x.detach() for x in leaves if isinstance(x, torch.Tensor)]


def jax_leaves(result: Any) -> list[torch.Tensor]:
    """The arrays of a program's result as tensors, in order; a typed key as its bits."""
    import jax

    from compiler_core.capture.jax.types import pack

    return [to_torch(pack(x, jax.typeof(x))) for x in jax.tree.leaves(result)]
