"""Contractions in torch."""

from typing import Any

import torch

from compiler_core.ir.eval_torch.context import Context, Rule
from compiler_core.ir.eval_torch.convolution import convolution
from compiler_core.ir.evaluate import einsum_text
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL


def _dot(c: Context, n: Value, x: Any, y: Any) -> Any:
    if n.type.dtype is BOOL:
        return _product_of(n, x.to(torch.int32), y.to(torch.int32)) != 0
    return _product_of(n, x, y)


def _product_of(n: Value, x: Any, y: Any) -> Any:
    """`matmul` where the contraction is a matrix product, einsum otherwise."""
    lhs, rhs = (operand.type.rank - len(n["lhs_batch"]) for operand in n.operands)
    batch = list(range(len(n["lhs_batch"])))
    plain = list(n["lhs_batch"]) == list(n["rhs_batch"]) == batch and len(n["lhs_contract"]) == 1
    if not plain or lhs > 2 or rhs > 2 or (batch and min(lhs, rhs) < 2):
        return torch.einsum(einsum_text(n), x, y)
    left = x.mT if lhs == 2 and n["lhs_contract"][0] == len(batch) else x
    right = y.mT if rhs == 2 and n["rhs_contract"][0] == len(batch) + 1 else y
    return torch.matmul(left, right)


RULES: dict[str, Rule] = {
    "dot_general": _dot,
    "convolution": lambda c, n, x, y: convolution(n.operation, x, y),
}
