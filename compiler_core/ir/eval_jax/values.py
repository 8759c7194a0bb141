"""What a jax.lax rule is."""

from collections.abc import Callable, Sequence
from typing import Any

from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.graph import Value

Array = Any
# rule(value, *operands) of an operation with one result.
Rule = Callable[..., Array]
# rule(operation, *operands) of any other.
SeveralRule = Callable[..., Sequence[Array]]


def dtype_of(value: Value) -> Any:
    """JAX's type of a value's elements."""
    return NUMPY[value.type.dtype.name]


def plain(function: Callable[..., Any]) -> Rule:
    """A rule that uses only the operands."""
    return lambda _, *xs: function(*xs)
