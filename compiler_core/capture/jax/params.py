"""An equation's parameters as plain Python numbers.

JAX computes some of them with numpy (the padding of a slice's gradient, the permutation of a
product), and a numpy.int64 in an attribute would reach shapes, byte counts and the report's JSON.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jax import export

from compiler_core.capture.jax.symbols import dim_of


def plain(params: Mapping[str, Any]) -> dict[str, Any]:
    """`params` with each numpy scalar replaced by the int, float or bool that it is, and each
    symbolic size of JAX by the core's, also within tuples."""
    return {name: _plain(value) for name, value in params.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return value.item()
    if export.is_symbolic_dim(value):
        return dim_of(value)
    if type(value) in (tuple, list):
        return type(value)(_plain(each) for each in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_plain(each) for each in value))
    return value
