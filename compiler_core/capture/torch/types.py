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
_BY_ARITHMETIC = (
    "compute with torch.int8 in their place, ((x / scale).round() + zero_point).clamp(-128, 127), "
    "or leave that part to torch, with dequantize() before the compiled function"
)
_QUANTIZED = {torch.qint8, torch.quint8, torch.qint32, torch.quint4x2, torch.quint2x4}
# The remedies for layouts that to_dense() does not convert.
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
    check_unquantized(tensor)
    if tensor.layout is not torch.strided:
        raise Unsupported(
            f"tensors of layout {tensor.layout} are not compiled",
            remedy=f"compile what is dense: {_DENSE.get(tensor.layout, _TO_DENSE)}",
        )


def check_unquantized(argument: Any) -> None:
    """Raises Unsupported for a quantized tensor, and for the type of one that is to be made: of
    what is made torch's fake tensors say that it holds floats."""
    if isinstance(argument, torch.Tensor):
        dtype = argument.dtype if argument.is_quantized else None
    else:
        dtype = argument if isinstance(argument, torch.dtype) else None
    if dtype in _QUANTIZED:
        raise Unsupported(
            f"quantized tensors, such as those of {dtype}, are not compiled",
            remedy=_BY_ARITHMETIC,
        )
