"""torch tensors of types that the IR lacks, as tensors of types that it has: complex tensors as
real ones with a last dimension of 2 (real part, imaginary part), 8-bit floats as bytes."""

from typing import Any

import torch

from compiler_core.interop.float8 import FLOAT8
from compiler_core.interop.private import is_zero_tensor

REAL_OF_COMPLEX = {torch.complex64: torch.float32, torch.complex128: torch.float64}


def is_complex_tensor(value: Any) -> bool:
    """Whether a value is a torch tensor of complex64 or complex128."""
    return isinstance(value, torch.Tensor) and value.dtype in REAL_OF_COMPLEX


def in_memory(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor itself, unless torch only records lazily that it is negated or zero: then a copy
    whose memory has its elements. (A lazy conjugate stays lazy.)"""
    if is_zero_tensor(tensor):
        return tensor.clone()
    # To ask first takes half as long as to resolve what is not lazy.
    return tensor.resolve_neg() if tensor.is_neg() else tensor


def all_in_memory(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """`in_memory` of each tensor, with one check for all of them, since lazy tensors are rare."""
    if any(map(torch.Tensor.is_neg, tensors)) or any(map(is_zero_tensor, tensors)):
        return list(map(in_memory, tensors))
    return tensors


def pack(value: Any) -> Any:
    """Complex tensors as pairs (`paired`), 8-bit floats as their bytes, other values as they
    are."""
    value = paired(value)
    is_float8 = isinstance(value, torch.Tensor) and value.dtype in FLOAT8
    return value.view(torch.uint8) if is_float8 else value


def paired(value: Any) -> Any:
    """A complex tensor as a real one with a last dimension of 2; any other value as it is. Lazy
    negation is resolved."""
    if not isinstance(value, torch.Tensor):
        return value
    value = in_memory(value)
    if value.dtype in REAL_OF_COMPLEX:
        return torch.view_as_real(value.resolve_conj())
    return value


def unpack(tensor: Any, dtype: torch.dtype) -> Any:
    """The inverse of `pack`, for a tensor of type `dtype`."""
    if dtype in FLOAT8:
        return tensor.view(dtype)
    return torch.view_as_complex(tensor.contiguous()) if dtype in REAL_OF_COMPLEX else tensor
