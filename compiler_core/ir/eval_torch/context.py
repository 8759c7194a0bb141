"""Storage types of the torch evaluator, and how it creates constants.

torch has no arithmetic on unsigned integers wider than 8 bits. u16 and u32 are stored in i32 and
i64 and cut to their width after every operation that can exceed it; u64 is stored as the bits of an
i64.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from compiler_core.errors import Unsupported
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.evaluate import literal
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL, DType

Rule = Callable[..., Any]
SeveralRule = Callable[..., tuple[Any, ...]]

STORAGE = {"u16": torch.int32, "u32": torch.int64, "u64": torch.int64}
MASKS = {"u16": 0xFFFF, "u32": 0xFFFF_FFFF}

SMALLEST = -(2**63)


@dataclass(frozen=True)
class Context:
    """How the evaluator creates tensors. `make(function, *args)` calls a function that takes no
    tensor of the program, or that only a run of the program may call: a recorder has to intercept
    these calls. With `float_dtype`, that type stores every floating-point number."""

    make: Callable[..., Any]
    float_dtype: torch.dtype | None
    device: torch.device

    def dtype(self, dtype: DType) -> torch.dtype:
        """The storage type of an element type."""
        if dtype.is_float and self.float_dtype is not None:
            return self.float_dtype
        return STORAGE.get(dtype.name, TORCH[dtype.name])

    def full(self, value: float | int | bool, dtype: DType, shape: tuple[int, ...]) -> Any:
        """A tensor of `shape` with every element `value`, in the storage type of `dtype`."""
        storage = self.dtype(dtype)
        return self.make(
            torch.full, shape, _signed(value, dtype), dtype=storage, device=self.device
        )


def cut(dtype: DType, x: Any) -> Any:
    """`x` reduced modulo 2^bits to the range of an integer type that is stored in a wider one;
    other types are returned as they are."""
    mask = MASKS.get(dtype.name)
    return x if mask is None else x & mask


def _signed(value: float | int | bool, dtype: DType) -> float | int | bool:
    """A literal in its storage type; a u64 beyond i64's range by its bits."""
    if dtype.is_float:
        return float(value)
    if dtype is BOOL:
        return bool(value)
    return int(value) - 2**64 if dtype.name == "u64" and value >= 2**63 else int(value)


def number(node: Value) -> float | int | bool | None:
    """The value of a constant, in its storage type; None for every other value."""
    value = literal(node)
    return None if value is None else _signed(value, node.type.dtype)


def in_order(dtype: DType, x: Any) -> Any:
    """Values whose signed order is that of the originals: for u64, its bits with the top bit
    flipped. Its own inverse."""
    return x ^ SMALLEST if dtype.name == "u64" else x


def refuse_u64(node: Value) -> None:
    """Raises Unsupported for an operation that torch lacks for uint64."""
    if node.operands[0].type.dtype.name == "u64":
        raise Unsupported(f"torch has no {node.op} of uint64", remedy="use int64 or uint32")
