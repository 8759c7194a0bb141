"""Calls of the framework's own kernel, which runs."""

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from compiler_core.ir.eval_numpy.values import Array, SeveralRule
from compiler_core.ir.graph import Operation


def _library_call(operation: Operation, *operands: Array) -> list[Array]:
    """The framework runs its kernel."""
    callee = operation["callee"]
    here, back = _BORDERS[callee.framework]
    return [back(x) for x in callee.results(*map(here, operands))]


def to_torch(x: Array) -> Any:
    """The array as a torch tensor, copied; torch reads no bfloat16 of numpy's."""
    import torch

    if x.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(x.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(x))


def from_torch(x: Any) -> Array:
    """A torch tensor as an array."""
    import torch

    if x.dtype is torch.bfloat16:
        bits: Array = x.detach().contiguous().view(torch.int16).numpy()
        return bits.view(ml_dtypes.bfloat16)
    return np.asarray(x.detach())


def _to_jax(x: Array) -> Any:
    import jax

    return jax.numpy.asarray(x)


_BORDERS: dict[str, tuple[Callable[[Array], Any], Callable[[Any], Array]]] = {
    "torch": (to_torch, from_torch),
    "jax": (_to_jax, np.asarray),
}


SEVERAL: dict[str, SeveralRule] = {"library_call": _library_call}
