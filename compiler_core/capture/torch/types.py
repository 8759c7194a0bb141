"""torch's element types and ours."""

from collections.abc import Sequence

import torch

from compiler_core.errors import Unsupported
from compiler_core.ir.types import (
    BF16,
    BOOL,
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    DType,
    TensorType,
)

FROM_TORCH: dict[torch.dtype, DType] = {
    torch.float64: F64,
    torch.float32: F32,
    torch.float16: F16,
    torch.bfloat16: BF16,
    torch.int64: I64,
    torch.int32: I32,
    torch.int16: I16,
    torch.int8: I8,
    torch.uint64: U64,
    torch.uint32: U32,
    torch.uint16: U16,
    torch.uint8: U8,
    torch.bool: BOOL,
}
TO_TORCH = {ours: theirs for theirs, ours in FROM_TORCH.items()}


def dtype_of(dtype: torch.dtype) -> DType:
    if dtype not in FROM_TORCH:
        raise Unsupported(
            f"tensors of {dtype} are not compiled", remedy="use a real type, such as torch.float32"
        )
    return FROM_TORCH[dtype]


def type_of(dtype: torch.dtype, shape: Sequence[int]) -> TensorType:
    """The type of a tensor, or of the real one that carries a complex one (torch_carried)."""
    sizes = tuple(int(s) for s in shape)
    if dtype in (torch.complex64, torch.complex128):
        return TensorType(F32 if dtype == torch.complex64 else F64, (*sizes, 2))
    return TensorType(dtype_of(dtype), sizes)
