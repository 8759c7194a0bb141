"""Calls of the framework's own kernel, which is run."""

from collections.abc import Callable
from typing import Any

import numpy as np

from compiler_core.ir.eval_numpy.values import Array, SeveralRule
from compiler_core.ir.graph import Operation


def _library_call(operation: Operation, *operands: Array) -> list[Array]:
    """The framework runs its kernel."""
    callee = operation["callee"]
    here, back = _INTEROP[callee.framework]
    return [back(x) for x in callee.results(*map(here, operands))]


def _to_torch(x: Array) -> Any:
    from compiler_core.interop import arrays

    return arrays.numpy_to_torch(x)


def _from_torch(x: Any) -> Array:
    from compiler_core.interop import arrays

    return arrays.torch_to_numpy(x)


def _to_jax(x: Array) -> Any:
    import jax

    return jax.numpy.asarray(x)


_INTEROP: dict[str, tuple[Callable[[Array], Any], Callable[[Any], Array]]] = {
    "torch": (_to_torch, _from_torch),
    "jax": (_to_jax, np.asarray),
}


SEVERAL: dict[str, SeveralRule] = {"library_call": _library_call}
