"""Embedding bags: rows of a table, looked up and reduced bag by bag. Bag b has the indices from
offsets[b] up to the next bag's."""

from typing import Any

from compiler_core.capture.lowering_context import LoweringContext, upcast_dtype
from compiler_core.capture.places import put, take
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.slices import slice_along
from compiler_core.ir.graph import Value
from compiler_core.ir.types import F32, I64, DType, TensorType

_SUM, _MEAN, _MAX = range(3)
_NO_PADDING = -1


def _bag_of_each(ctx: LoweringContext, offsets: Value, count: Any) -> Value:
    """The bag of each index: how many bags begin at it or before, less one."""
    grid = (count, offsets.type.shape[0])
    begins = ctx.b.broadcast(ctx.b.convert(offsets, I64), grid)
    begun = ctx.compare(ctx.b.iota(I64, grid, 0), begins, "GE")
    return ctx.sub(ctx.b.reduce(ctx.b.convert(begun, I64), "add", (1,)), 1)


def _bags(ctx: LoweringContext, *given: Any) -> list[Value]:
    """The bags; what else the operation returns is for a gradient, and here there is none."""
    table, indices, offsets, _, mode, _, weights, _, padding = given
    of = _counted(ctx, indices, offsets, ctx.out.shape[0], padding)
    unread = [ctx.b.scalar(0, t.dtype, t.shape) for t in ctx.types[1:]]
    return [_reduced(ctx, table, indices, of, mode, weights), *unread]


def _bags_for_gradient(ctx: LoweringContext, *given: Any) -> list[Value] | None:
    """The bags, the bag of each index, the sizes of bags, and of a mean these once more. Which row
    was the largest is said by torch's own kernel alone."""
    table, indices, offsets, _, mode, _, weights, _, padding = given
    if mode == _MAX:
        return None
    b, bags, (_, of_type, sizes_type, last_type) = ctx.b, ctx.out.shape[0], ctx.types
    of = _counted(ctx, indices, offsets, bags, padding)
    # torch's quick kernels leave both out: their results have no elements, or zeros.
    all_of = _counted(ctx, indices, offsets, bags, _NO_PADDING)
    shown = b.convert(all_of, of_type.dtype) if of_type.shape == all_of.type.shape else None
    none = b.scalar(0, sizes_type.dtype, sizes_type.shape)
    sizes = b.convert(_sizes(ctx, of, bags, F32), sizes_type.dtype) if mode == _MEAN else none
    return [
        _reduced(ctx, table, indices, of, mode, weights),
        b.scalar(0, of_type.dtype, of_type.shape) if shown is None else shown,
        sizes,
        _again(ctx, sizes, last_type),
    ]


def _again(ctx: LoweringContext, sizes: Value, last: TensorType) -> Value:
    """The sizes as the fourth result, which torch's kernels on a GPU leave without elements."""
    same = sizes.type.shape == last.shape
    return ctx.b.convert(sizes, last.dtype) if same else ctx.b.scalar(0, last.dtype, last.shape)


def _counted(
    ctx: LoweringContext, indices: Value, offsets: Value, bags: Any, padding: int
) -> Value:
    """The bag of each index; what is padding is in none, beyond the last."""
    of = _bag_of_each(ctx, slice_along(ctx, offsets, 0, 0, bags), indices.type.shape[0])
    return ctx.select(ctx.compare(indices, padding, "EQ"), bags, of) if padding >= 0 else of


def _reduced(
    ctx: LoweringContext, table: Value, indices: Value, of: Value, mode: int, weights: Value | None
) -> Value:
    dtype, b = upcast_dtype(table.type.dtype), ctx.b
    rows = ctx.cast(take(b, table, [0], [indices], 0, "clamp"), dtype)
    rows = rows if weights is None else ctx.mul(rows, _along(ctx, weights, rows))
    start = b.scalar(float("-inf") if mode == _MAX else 0.0, dtype, ctx.out.shape)
    found = put(b, start, [0], [of], 0, rows, "maximum" if mode == _MAX else "add", "mask")
    return b.convert(found if mode == _SUM else _of_sizes(ctx, mode, found, of), ctx.out.dtype)


def _of_sizes(ctx: LoweringContext, mode: int, found: Value, of: Value) -> Value:
    """A mean is divided by the sizes of the bags; the largest of an empty bag is 0."""
    bags, dtype = found.type.shape[0], found.type.dtype
    sizes = _along(ctx, _sizes(ctx, of, bags, dtype), found)
    if mode == _MEAN:
        return ctx.div(found, ctx.op("maximum", sizes, 1.0))
    return ctx.select(ctx.compare(sizes, 0.0, "EQ"), 0.0, found)


def _sizes(ctx: LoweringContext, of: Value, count: Any, dtype: DType) -> Value:
    """How often each number below `count` is in `of`."""
    none, one = ctx.b.scalar(0.0, dtype, (count,)), ctx.b.scalar(1.0, dtype, of.type.shape)
    return put(ctx.b, none, [0], [of], 0, one, "add", "mask")


def _along(ctx: LoweringContext, x: Value, rows: Value) -> Value:
    """One number for each row, as many times as a row is long."""
    return ctx.b.broadcast_in_dim(ctx.cast(x, rows.type.dtype), rows.type.shape, (0,))


# -- gradients


def _of_table(
    ctx: LoweringContext, grad: Value, indices: Value, offsets: Value, *given: Any
) -> Value | None:
    """Each row of the table has the sum of the gradients of the bags that it is in. What is scaled
    by frequency stays torch's: its kernel on a CPU counts otherwise than it documents."""
    *_, by_frequency, mode, sparse, weights, padding = given
    if sparse or by_frequency or mode == _MAX:
        return None
    b, dtype = ctx.b, upcast_dtype(grad.type.dtype)
    of = _counted(ctx, indices, offsets, grad.type.shape[0], padding)
    whole = ctx.cast(grad, dtype)
    whole = _of_sizes(ctx, mode, whole, of) if mode == _MEAN else whole
    rows = take(b, whole, [0], [of], 0, "clamp")
    rows = rows if weights is None else ctx.mul(rows, _along(ctx, weights, rows))
    kept = ctx.select(ctx.compare(indices, padding, "EQ"), ctx.out.shape[0], indices)
    none = b.scalar(0.0, dtype, ctx.out.shape)
    return b.convert(put(b, none, [0], [kept], 0, rows, "add", "mask"), ctx.out.dtype)


def _of_weights(
    ctx: LoweringContext, grad: Value, table: Value, indices: Value, offsets: Value, _of: Value,
    _mode: int, padding: int = _NO_PADDING,
) -> Value:  # fmt: skip
    """The product of the row that a weight is of with the gradient of its bag."""
    b, dtype = ctx.b, upcast_dtype(grad.type.dtype)
    of = _counted(ctx, indices, offsets, grad.type.shape[0], _NO_PADDING)
    pairs = ((grad, of), (table, indices))
    bag, row = (ctx.cast(take(b, x, [0], [i], 0, "clamp"), dtype) for x, i in pairs)
    dots = b.reduce(ctx.mul(bag, row), "add", (1,))
    return b.convert(ctx.select(ctx.compare(indices, padding, "EQ"), 0.0, dots), ctx.out.dtype)


TABLE: dict[str, TorchRule] = {
    "_embedding_bag_forward_only": _bags,
    "_embedding_bag": _bags_for_gradient,
    "_embedding_bag_backward": _of_table,
    "_embedding_bag_per_sample_weights_backward": _of_weights,
}
