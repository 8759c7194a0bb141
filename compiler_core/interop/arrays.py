"""Conversion of arrays between numpy, torch and JAX, without a copy where alignment and layout
allow it. Values and types are preserved."""

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import torch

from compiler_core.interop import complex_pairs
from compiler_core.interop.float8 import FLOAT8_BY_NAME
from compiler_core.interop.structures import leaves_of


def numpy_to_torch(x: Any) -> torch.Tensor:
    """A copy of a numpy array as a tensor; bfloat16, which torch cannot read from numpy, by its
    bits."""
    x = np.asarray(x)
    if x.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(x.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(x))


def torch_to_numpy(x: torch.Tensor) -> np.ndarray[Any, Any]:
    """A CPU tensor as a numpy array, over the same memory if it is dense."""
    if x.dtype is torch.bfloat16:
        bits: np.ndarray[Any, Any] = x.detach().contiguous().view(torch.int16).numpy()
        return bits.view(ml_dtypes.bfloat16)
    return np.asarray(x.detach())


def to_torch(x: Any) -> torch.Tensor:
    """A jax.Array (after waiting for its value), a numpy array or a tensor as a tensor."""
    if isinstance(x, torch.Tensor):
        return x.detach()
    if isinstance(x, np.ndarray | np.generic):
        return numpy_to_torch(x)
    if (float8 := FLOAT8_BY_NAME.get(str(x.dtype))) is not None:
        return torch.from_numpy(np.array(x).view(np.uint8)).view(float8)
    return torch.from_dlpack(x.block_until_ready())


def to_torch_all(xs: Sequence[Any]) -> list[torch.Tensor]:
    """Each array as a tensor, without a copy where the memory can be shared."""
    return [to_torch(x) for x in xs]


def to_jax(x: Any) -> Any:
    """A tensor as a jax.Array of the same type, 64-bit ones included. JAX takes memory in place
    whose address is a multiple of 64, and copies other memory."""
    import jax

    if not isinstance(x, torch.Tensor):
        return x
    dense = x.detach().contiguous()
    if dense.element_size() < 8:
        return jax.dlpack.from_dlpack(dense)
    with jax.enable_x64(True):
        return jax.dlpack.from_dlpack(dense)


def memory_of(x: Any) -> str:
    """torch's device type for the memory that holds an array; "cpu" for a value that is no
    array."""
    if isinstance(x, torch.Tensor):
        return x.device.type
    platforms = {each.platform for each in getattr(x, "devices", set)()}
    return "cpu" if platforms <= {"cpu"} else "cuda"


def torch_leaves(result: Any) -> list[torch.Tensor]:
    """The tensors of a program's result, in order; a complex one as pairs of real numbers."""
    leaves = leaves_of(result)
    return [complex_pairs.paired(x.detach()) for x in leaves if isinstance(x, torch.Tensor)]


def jax_leaves(result: Any) -> list[torch.Tensor]:
    """The arrays of a program's result as tensors, in order; a typed key as its bits."""
    import jax

    from compiler_core.interop.packed import pack

    return [to_torch(pack(x, jax.typeof(x))) for x in jax.tree.leaves(result)]
