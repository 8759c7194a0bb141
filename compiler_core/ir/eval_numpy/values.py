"""Arrays of every element type, and what a numpy rule is."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.graph import Value
from compiler_core.ir.types import DType

Array = np.ndarray[Any, Any]
# rule(value, *operands) of an operation with one result.
Rule = Callable[..., Array]
# rule(operation, *operands) of any other.
SeveralRule = Callable[..., Sequence[Array]]


def dtype_of(value: Value) -> Any:
    """The numpy type of a value's elements."""
    return NUMPY[value.type.dtype.name]


def upcast(x: Array, dtype: DType) -> Array:
    """The array in the type that operations on `dtype` are computed in: float64 for every float."""
    return x.astype(np.float64) if dtype.is_float else x
