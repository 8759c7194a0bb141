"""ATen's searches in sorted sequences."""

from collections.abc import Sequence
from typing import Any

import torch

from compiler_core.capture.lowering_context import LoweringContext, Operand
from compiler_core.capture.places import take, take_along
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.types import dtype_of
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import number
from compiler_core.ir.types import I32, I64


def _searchsorted(
    ctx: LoweringContext, ordered: Value, x: Operand, int32: bool = False, right: bool = False,
    side: str | None = None, sorter: Value | None = None,
) -> Value:  # fmt: skip
    """How many of each row come before a value: with `right`, or side "right", also those that
    equal it."""
    if ordered.type.rank == 0:
        ordered = ctx.b.reshape(ordered, (1,))
    if sorter is not None:
        ordered = take_along(ctx.b, ordered, ordered.type.rank - 1, sorter, "clamp")
    if not isinstance(x, Value):
        dtype = dtype_of(torch.result_type(*_tensors_first(ctx.raw[:2])))
        ordered, x = ctx.cast(ordered, dtype), ctx.cast(x, dtype)
    return _count_before(ctx, ordered, x, right or side == "right")


def _tensors_first(pair: Sequence[Any]) -> list[Any]:
    return sorted(pair, key=lambda x: not isinstance(x, torch.Tensor))


def _bucketize(
    ctx: LoweringContext, x: Operand, bounds: Value, int32: bool = False, right: bool = False
) -> Value:
    return _searchsorted(ctx, bounds, x, int32, right)


def _count_before(ctx: LoweringContext, ordered: Value, x: Value, also_equal: bool) -> Value:
    """Torch's own binary search, step by step: where a sequence has NaN or is not sorted, the
    answer depends on which elements are looked at. What is left has `longest - less` elements;
    `less` is 0 or 1, since the halves of a sequence differ by one element at most."""
    x = ctx.b.broadcast(x, ctx.out.shape)
    longest = number(ordered.type.shape[-1], "the steps of a binary search")
    # In vectors, places of 32 bits are gathered twice as many at a time.
    dtype = I32 if longest < 2**31 else I64
    none, one = (ctx.b.scalar(n, dtype, ctx.out.shape) for n in (0, 1))
    count, less = none, none
    while longest:
        half, even = longest // 2, longest % 2 == 0
        middle = ctx.add(count, half)
        middle = ctx.sub(middle, less) if even else middle
        # As torch has it, every number is before a NaN.
        is_after = ctx.compare(_at(ctx, ordered, middle), x, "GT" if also_equal else "GE")
        if longest == 1:  # of which nothing may be left
            is_after = ctx.op("or", is_after, ctx.compare(less, one, "EQ"))
        count = ctx.select(is_after, count, ctx.add(middle, one))
        less = ctx.select(is_after, less, one) if even else ctx.select(is_after, none, less)
        longest = half
    return ctx.downcast(count)


def _at(ctx: LoweringContext, ordered: Value, place: Value) -> Value:
    """The elements of one sequence, or of the row of each, at places within it."""
    if ordered.type.rank == 1:
        return take(ctx.b, ordered, [0], [place], 0, "clamp")
    return take_along(ctx.b, ordered, ordered.type.rank - 1, place, "clamp")


TABLE: dict[str, TorchRule] = {
    "searchsorted": _searchsorted,
    "bucketize": _bucketize,
}
