"""An equation's parameters with Python's own numbers.

JAX computes some with numpy (the padding of a slice's gradient, a product's permutation), and a
numpy.int64 in an attribute goes on into shapes, byte counts and the report.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jax import export

from compiler_core.capture.jax.symbols import dim_of


def plain(params: Mapping[str, Any]) -> dict[str, Any]:
    """`params` with each numpy scalar as the int, float or bool that it is, and each symbolic size
    as ours, in tuples too."""
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
