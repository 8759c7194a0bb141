"""torch's element types and ours."""

from collections.abc import Sequence
from typing import Any

import torch

from compiler_core.capture.torch.symbols import dim_of
from compiler_core.errors import Unsupported
from compiler_core.interop.complex_pairs import REAL_OF_COMPLEX
from compiler_core.interop.float8 import FLOAT8
from compiler_core.interop.names import name_of
from compiler_core.ir.types import DTYPES, U8, DType, TensorType

_ANY = "a type that torch computes in, such as torch.float32"
_INSTEAD = {torch.complex32: "torch.complex64"}
_TO_DENSE = "convert with to_dense() before the compiled function, to sparse again after it"
# By layout, where to_dense() is not how it becomes an array.
_DENSE = {torch.jagged: "convert with torch.nested.to_padded_tensor() before the compiled function"}


def dtype_of(dtype: torch.dtype) -> DType:
    """Our name of a dtype. Raises Unsupported for one that the core does not have."""
    name = name_of(dtype)
    if name is None:
        raise Unsupported(
            f"tensors of {dtype} are not compiled",
            remedy=f"use {_INSTEAD.get(dtype, _ANY)} in its place",
        )
    return DTYPES[name]


def part_dtype_of(dtype: torch.dtype) -> DType:
    """The type of a tensor's elements: of a complex one, of its parts; of 8-bit floats, of their
    bytes."""
    return U8 if dtype in FLOAT8 else dtype_of(REAL_OF_COMPLEX.get(dtype, dtype))


def type_of(dtype: torch.dtype, shape: Sequence[Any]) -> TensorType:
    """The type of a tensor: of a complex one, of the real tensor in which it is packed."""
    sizes = tuple(map(dim_of, shape))
    parts = (2,) if dtype in REAL_OF_COMPLEX else ()
    return TensorType(part_dtype_of(dtype), (*sizes, *parts))


def check_strided(tensor: torch.Tensor) -> None:
    """Raises Unsupported for a tensor that is no strided array of numbers: sparse or quantized
    ones."""
    if tensor.is_quantized:
        raise Unsupported(
            "quantized tensors are not compiled",
            remedy="convert with dequantize() before the compiled function",
        )
    if tensor.layout is not torch.strided:
        raise Unsupported(
            f"tensors of layout {tensor.layout} are not compiled",
            remedy=f"compile what is dense: {_DENSE.get(tensor.layout, _TO_DENSE)}",
        )
