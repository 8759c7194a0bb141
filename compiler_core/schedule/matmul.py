"""dot_general as a library matmul: which operands can be read in place, and how.

An operand is usually a view of memory (a transposed weight). Its strides tell whether that memory
is a dense [batch, rows, contracted] or [batch, contracted, rows] block, which is all that a BLAS
needs to know. Otherwise the operand is copied (kernel/fusion_view.py materializes the view).
"""

import itertools
from dataclasses import dataclass
from math import prod

from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim
from compiler_core.kernel import affine


@dataclass(frozen=True)
class Sizes:
    """The sizes of `batch` products [m, k] @ [k, n]."""

    batch: Dim
    m: Dim
    n: Dim
    k: Dim


@dataclass(frozen=True)
class Layout:
    """How an operand lies in memory. `transposed`: stored as [batch, contracted, free]; `batched`
    false: one matrix for all of the batch."""

    transposed: bool
    batched: bool = True


def sizes(dot: Value) -> Sizes:
    """The product that a dot_general is, with all of its dimensions of a kind flattened into
    one."""
    lhs, rhs = (x.type.shape for x in dot.operands)
    lb, lc, rb, rc = (dot[a] for a in ("lhs_batch", "lhs_contract", "rhs_batch", "rhs_contract"))
    return Sizes(
        batch=prod(lhs[i] for i in lb),
        m=prod(s for i, s in enumerate(lhs) if i not in (*lb, *lc)),
        n=prod(s for i, s in enumerate(rhs) if i not in (*rb, *rc)),
        k=prod(lhs[i] for i in lc),
    )


def layout(dot: Value, side: int, base: Value) -> Layout | None:
    """How operand `side` (0 lhs, 1 rhs) lies in the memory of `base`, of which it is a view; None
    if it is not a dense block. `transposed` is relative to [free, contracted]."""
    operand = dot.operands[side]
    prefix = ("lhs", "rhs")[side]
    batch, contract = dot[f"{prefix}_batch"], dot[f"{prefix}_contract"]
    free = tuple(i for i in range(operand.type.rank) if i not in (*batch, *contract))
    strides = _strides(operand, base)
    if strides is None:
        return None
    shape = operand.type.shape
    b, f, c = (_as_one([(shape[i], strides[i]) for i in dims]) for dims in (batch, free, contract))
    if b is None or f is None or c is None:
        return None
    size_f, size_c = (prod(shape[i] for i in dims) for dims in (free, contract))
    batches = prod(shape[i] for i in batch)
    # A block that is part of a larger buffer has the right strides, but libraries that are handed
    # the buffer as a whole would see the wrong number of elements.
    if base.type.elements not in (size_f * size_c, batches * size_f * size_c):
        return None
    for transposed, (inner, outer, width) in (
        (False, (c, f, size_c)),
        (True, (f, c, size_f)),
    ):
        height = size_f if not transposed else size_c
        rows_follow = outer == width or height == 1
        if (inner == 1 or width == 1) and rows_follow:
            if batches == 1 or b == size_f * size_c:
                return Layout(transposed, batches > 1)
            if b == 0:
                return Layout(transposed, batched=False)
    return None


def _strides(operand: Value, base: Value) -> list[Dim] | None:
    """The stride of each dimension of `operand` in the memory of `base`; None if the view has an
    offset or is not affine."""
    access = affine.through_views(operand, base)
    if access is None or access.offset != 0:
        return None
    return [access.stride(f"d{i}") for i in range(operand.type.rank)]


def _as_one(dims: list[tuple[Dim, Dim]]) -> Dim | None:
    """The stride of several dimensions merged into one; 1 for no dimension, None if they cannot be
    merged."""
    dims = [(size, stride) for size, stride in dims if size != 1]
    if not dims:
        return 1
    for (_, outer), (size, inner) in itertools.pairwise(dims):
        if outer != size * inner:
            return None
    return dims[-1][1]
