"""Calls with tensors of 8-bit floats. Operations that move elements move their bytes; conversions,
and the other operations that torch has for them, compute in f32 as torch's own kernels do."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from compiler_core.capture.float8 import E4M3FN, E5M2, Format, decoded, encoded
from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.torch.complex_numbers.table import MOVES
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.trace import Call
from compiler_core.interop.float8 import FLOAT8
from compiler_core.ir.graph import Value
from compiler_core.ir.types import F32

_FORMATS: dict[torch.dtype, Format] = {
    torch.float8_e4m3fn: E4M3FN,
    torch.float8_e5m2: E5M2,
}
# Conversions, and operations that compute element by element.
_IN_F32 = frozenset(
    ("clone", "_to_copy", "copy", "fill", "zero", "full", "full_like", "new_full", "zeros",
     "zeros_like", "new_zeros", "ones", "ones_like", "new_ones", "where", "masked_fill", "eq",
     "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "abs", "neg", "sign"),
)  # fmt: skip
_MOVED = frozenset(MOVES) | {"clone", "_to_copy", "copy"}
# Operations on bytes, whatever the dtypes.
_OF_BITS = frozenset({"view.dtype"})


def has_float8(call: Call) -> bool:
    """Whether an argument or a result of the call has 8-bit floats."""
    return any(dtype in FLOAT8 for _, dtype, _ in call.results) or _any(call.args)


def _any(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_any, value))
    return isinstance(value, torch.Tensor) and value.dtype in FLOAT8


def of_bytes(
    name: str, rule: TorchRule | None, call: Call, results: Sequence[torch.dtype]
) -> TorchRule | None:
    """The rule of the operation `name` on bytes, where `rule` is that for other types; `results`
    are the dtypes of its results. None if torch has no such operation."""
    given = [x.dtype for x in _tensors(call.args)]
    if rule is None or not {x for x in (*given, *results) if x in FLOAT8} <= _FORMATS.keys():
        return None
    base = name.partition(".")[0]
    moved = not _MOVED.isdisjoint((name, base)) and len({*given, *results}) == 1
    if moved or name in _OF_BITS:
        return rule
    return _in_f32(rule, results) if base in _IN_F32 else None


def _tensors(args: Any) -> list[torch.Tensor]:
    if isinstance(args, tuple | list):
        return [t for x in args for t in _tensors(x)]
    return [args] if isinstance(args, torch.Tensor) else []


def _in_f32(rule: TorchRule, results: Sequence[torch.dtype]) -> TorchRule:
    def run(ctx: LoweringContext, *operands: Any) -> list[Any] | None:
        formats = [_FORMATS.get(dtype) for dtype in results]
        types = (t.with_dtype(F32) if f else t for t, f in zip(ctx.types, formats, strict=True))
        inner = replace(ctx, types=tuple(types))
        found = rule(inner, *map(_number(ctx), operands, ctx.raw))
        listed = found if isinstance(found, tuple | list) else (found,)
        pairs = zip(listed, formats, strict=False)
        return [encoded(ctx, x, form) if form else x for x, form in pairs]

    return run


def _number(ctx: LoweringContext) -> Any:
    """What gives an operand as numbers."""

    def number(operand: Any, raw: Any) -> Any:
        form = _FORMATS.get(raw.dtype) if isinstance(raw, torch.Tensor) else None
        return decoded(ctx, operand, form) if form and isinstance(operand, Value) else operand

    return number
