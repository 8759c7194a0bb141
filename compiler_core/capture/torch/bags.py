"""Embedding bags: rows of a table, looked up and reduced bag by bag. Bag b has the indices from
offsets[b] up to the next bag's."""

from typing import Any

from compiler_core.capture.lowering_context import LoweringContext, upcast_dtype
from compiler_core.capture.places import put, take
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.slices import slice_along
from compiler_core.ir.graph import Value
from compiler_core.ir.types import I64

_SUM, _MEAN, _MAX = range(3)


def _bag_of_each(ctx: LoweringContext, offsets: Value, count: Any) -> Value:
    """The bag of each index: how many bags begin at it or before, less one."""
    grid = (count, offsets.type.shape[0])
    begins = ctx.b.broadcast(ctx.b.convert(offsets, I64), grid)
    begun = ctx.compare(ctx.b.iota(I64, grid, 0), begins, "GE")
    return ctx.sub(ctx.b.reduce(ctx.b.convert(begun, I64), "add", (1,)), 1)


def _embedding_bag(ctx: LoweringContext, *given: Any) -> list[Value]:
    """The bags; what else the operation returns is for a gradient, and here there is none."""
    table, indices, offsets, _, mode, _, weights, _, padding = given
    dtype, b = upcast_dtype(table.type.dtype), ctx.b
    bags, count = ctx.out.shape[0], indices.type.shape[0]
    of = _bag_of_each(ctx, slice_along(ctx, offsets, 0, 0, bags), count)
    if padding >= 0:  # what is padding is in no bag
        of = ctx.select(ctx.compare(indices, padding, "EQ"), bags, of)
    rows = ctx.cast(take(b, table, [0], [indices], 0, "clamp"), dtype)
    if weights is not None:
        spread = b.broadcast_in_dim(ctx.cast(weights, dtype), rows.type.shape, (0,))
        rows = b.node("multiply", rows, spread)
    start = b.scalar(float("-inf") if mode == _MAX else 0.0, dtype, ctx.out.shape)
    found = put(b, start, [0], [of], 0, rows, "maximum" if mode == _MAX else "add", "mask")
    if mode != _SUM:
        found = _of_sizes(ctx, mode, found, of, count)
    unread = [b.scalar(0, t.dtype, t.shape) for t in ctx.types[1:]]
    return [b.convert(found, ctx.out.dtype), *unread]


def _of_sizes(ctx: LoweringContext, mode: int, found: Value, of: Value, count: Any) -> Value:
    """A mean is divided by the sizes of the bags; the largest of an empty bag is 0."""
    dtype, b = found.type.dtype, ctx.b
    none = b.scalar(0.0, dtype, ctx.out.shape[:1])
    sizes = put(b, none, [0], [of], 0, b.scalar(1.0, dtype, (count,)), "add", "mask")
    sizes = b.broadcast_in_dim(sizes, ctx.out.shape, (0,))
    if mode == _MEAN:
        return ctx.div(found, ctx.op("maximum", sizes, 1.0))
    return ctx.select(ctx.compare(sizes, 0.0, "EQ"), 0.0, found)


# Without autograd alone: a gradient reads what the other form returns beside the bags.
TABLE: dict[str, TorchRule] = {"_embedding_bag_forward_only": _embedding_bag}
