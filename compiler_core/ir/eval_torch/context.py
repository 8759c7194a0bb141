"""How the torch evaluator holds values, and what makes its leaves.

torch computes with no unsigned integers wider than 8 bits: they are held in wider signed ones
(u16 in i32, u32 in i64) and cut to their width after every operation that can leave it; u64 is
held as the bits of an i64.
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

HELD = {"u16": torch.int32, "u32": torch.int64, "u64": torch.int64}
MASKS = {"u16": 0xFFFF, "u32": 0xFFFF_FFFF}

SMALLEST = -(2**63)


@dataclass(frozen=True)
class Context:
    """`make(function, *args)` calls a function of no tensor of the program, or one that only
    the program's own run may enter; a recorder must be told of those."""

    make: Callable[..., Any]
    float_dtype: torch.dtype | None
    device: torch.device

    def dtype(self, dtype: DType) -> torch.dtype:
        """What a value of the type is held in."""
        if dtype.is_float and self.float_dtype is not None:
            return self.float_dtype
        return HELD.get(dtype.name, TORCH[dtype.name])

    def full(self, value: float | int | bool, dtype: DType, shape: tuple[int, ...]) -> Any:
        held = self.dtype(dtype)
        return self.make(torch.full, shape, _signed(value, dtype), dtype=held, device=self.device)


def cut(dtype: DType, x: Any) -> Any:
    """The bits of the type's width."""
    mask = MASKS.get(dtype.name)
    return x if mask is None else x & mask


def _signed(value: float | int | bool, dtype: DType) -> float | int | bool:
    """The literal of the type, as it is held: a u64 beyond the reach of i64 by its bits."""
    if dtype.is_float:
        return float(value)
    if dtype is BOOL:
        return bool(value)
    return int(value) - 2**64 if dtype.name == "u64" and value >= 2**63 else int(value)


def number(node: Value) -> float | int | bool | None:
    """The literal that a splat constant is, as it is held; None for every other node."""
    value = literal(node)
    return None if value is None else _signed(value, node.type.dtype)


def in_order(dtype: DType, x: Any) -> Any:
    """A value whose signed order is its own: u64's bits with the top one flipped. Its own
    inverse."""
    return x ^ SMALLEST if dtype.name == "u64" else x


def refuse_u64(node: Value) -> None:
    if node.operands[0].type.dtype.name == "u64":
        raise Unsupported(f"torch has no {node.op} of uint64", remedy="use int64 or uint32")
