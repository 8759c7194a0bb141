"""Arrays of every element type, and what a numpy rule is."""

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from compiler_core.ir.graph import Value
from compiler_core.ir.types import DType

Array = np.ndarray[Any, Any]
# rule(value, *operands) of an operation with one result.
Rule = Callable[..., Array]
# rule(operation, *operands) of any other.
SeveralRule = Callable[..., Sequence[Array]]

DTYPES: dict[str, Any] = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
    "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8,
    "u64": np.uint64, "u32": np.uint32, "u16": np.uint16, "u8": np.uint8, "bool": np.bool_,
}  # fmt: skip


def dtype_of(value: Value) -> Any:
    """The numpy type of a value's elements."""
    return DTYPES[value.type.dtype.name]


def upcast(x: Array, dtype: DType) -> Array:
    """What an operation on elements of `dtype` computes in: float64 for every float."""
    return x.astype(np.float64) if dtype.is_float else x
