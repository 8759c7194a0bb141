"""ATen's views by strides: elements of the flat memory of a tensor, at places that are an affine
function of the index."""

from collections.abc import Sequence

import torch

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.places import take
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.strides import places_of, put_strided, windows_along
from compiler_core.errors import Unsupported
from compiler_core.ir.graph import Value


def _memory_order(x: torch.Tensor) -> list[int]:
    """The dimensions in the order in which they lie in memory. Raises Unsupported where the tensor
    does not have each element of its memory once: strides then count what no value here has."""
    order = sorted(range(x.dim()), key=lambda d: (-x.stride(d), -d))
    whole = x.untyped_storage().nbytes() == x.numel() * x.element_size()
    if x.storage_offset() or not whole or not x.permute(order).is_contiguous():
        raise Unsupported(
            "as_strided of a tensor that shows a part of its memory is not compiled",
            remedy="take it of the whole tensor, or index the part",
        )
    return order


def _flat(ctx: LoweringContext, x: Value) -> Value:
    """The memory of a tensor."""
    return ctx.b.reshape(ctx.b.transpose(x, _memory_order(ctx.raw[0])), (x.type.elements,))


def _as_strided(
    ctx: LoweringContext, x: Value, size: Sequence[int], stride: Sequence[int],
    offset: int | None = None,
) -> Value:  # fmt: skip
    flat = _flat(ctx, x)
    if x.type.elements == 0:
        return ctx.b.scalar(0, x.type.dtype, ctx.out.shape)
    return take(ctx.b, flat, [0], [places_of(ctx.b, ctx.out.shape, stride, offset)], 0, "in_bounds")


def _as_strided_scatter(
    ctx: LoweringContext, x: Value, source: Value, size: Sequence[int], stride: Sequence[int],
    offset: int | None = None,
) -> Value:  # fmt: skip
    flat, order = _flat(ctx, x), _memory_order(ctx.raw[0])
    written = put_strided(ctx.b, flat, source, stride, offset)
    laid = ctx.b.reshape(written, [x.type.shape[d] for d in order])
    return ctx.b.transpose(laid, [order.index(d) for d in range(len(order))])


def _unfold(ctx: LoweringContext, x: Value, dim: int, size: int, step: int) -> Value:
    """Windows along `dim`; what is in each is the last dimension."""
    if x.type.rank == 0:
        return ctx.b.broadcast(x, ctx.out.shape)
    dim %= x.type.rank
    if x.type.elements == 0:
        return ctx.b.scalar(0, x.type.dtype, ctx.out.shape)
    count = ctx.out.shape[dim]
    place = windows_along(ctx.b, count, size, step)
    found = take(ctx.b, x, [dim], [place], dim, "in_bounds")
    rank = found.type.rank
    return ctx.b.transpose(found, [*(d for d in range(rank) if d != dim + 1), dim + 1])


TABLE: dict[str, TorchRule] = {
    "as_strided": _as_strided,
    "as_strided_copy": _as_strided,
    "as_strided_scatter": _as_strided_scatter,
    "unfold": _unfold,
    "unfold_copy": _unfold,
    "empty_permuted": lambda ctx, *_: ctx.cast(0, ctx.out.dtype, ctx.out.shape),
}
