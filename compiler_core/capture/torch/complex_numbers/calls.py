"""Calls with complex tensors: the rule of such a call as a rule of packed values, from the table of
complex operations."""

from collections.abc import Sequence
from typing import Any

import torch

from compiler_core.capture.complex_numbers import packing
from compiler_core.capture.complex_numbers.rules import (
    ComplexRule,
    in_parts,
    packed_results,
    parts_context,
)
from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.trace import Call
from compiler_core.capture.torch.types import type_of
from compiler_core.interop.complex_pairs import REAL_OF_COMPLEX, is_complex_tensor
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value


def has_complex(call: Call) -> bool:
    """Whether an argument or a result of the call is complex."""
    any_pair = any(dtype in REAL_OF_COMPLEX for _, dtype, _ in call.results)
    return any_pair or any(_is_complex(a) for a in call.args)


def of_packed(rule: ComplexRule, results: Sequence[torch.dtype]) -> TorchRule:
    """`rule`, which takes complex values, as a rule for packed operands and results; `results` are
    torch's dtypes of the results."""
    is_complex = [dtype in REAL_OF_COMPLEX for dtype in results]

    def run(ctx: LoweringContext, *operands: Any) -> list[Any] | None:
        inner = parts_context(ctx, is_complex)
        given = zip(operands, ctx.raw, strict=True)
        return packed_results(ctx, rule(inner, *(_in_parts(ctx, x, raw) for x, raw in given)))

    return run


def _in_parts(ctx: LoweringContext, operand: Any, raw: Any) -> Any:
    if isinstance(raw, tuple | list):
        return [_in_parts(ctx, x, r) for x, r in zip(operand, raw, strict=True)]
    return in_parts(ctx, operand, is_complex_tensor(raw))


def _is_complex(arg: Any) -> bool:
    if isinstance(arg, tuple | list):
        return any(map(_is_complex, arg))
    return is_complex_tensor(arg) or isinstance(arg, complex)


def constant_of(b: Builder, call: Call) -> Value:
    """The number, real or complex, that `torch.tensor(2.0)` inside a program gives."""
    (_, dtype, shape), number = call.results[0], call.args[0].item()
    type_ = type_of(dtype, shape)
    if isinstance(number, complex):
        return packing.constant(b, number, type_.dtype, type_.shape[:-1])
    return b.scalar(number, type_.dtype, type_.shape)
