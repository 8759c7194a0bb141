"""Embedding bags: rows of a table, looked up and reduced bag by bag. Bag b has the indices from
offsets[b] up to the next bag's."""

from dataclasses import dataclass
from typing import Any

from compiler_core.capture.lowering_context import LoweringContext, upcast_dtype
from compiler_core.capture.places import put, take
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.slices import slice_along
from compiler_core.ir.graph import Value
from compiler_core.ir.types import F32, I64, DType, TensorType

_SUM, _MEAN, _MAX = range(3)
_NO_PADDING = -1


@dataclass(frozen=True)
class _Bags:
    """`of`: the bag of each index; of padding it is `count`, beyond the last. `apart`: how many
    indices each bag has, where all have as many and none is padding; 0 elsewhere."""

    count: Any
    of: Value
    apart: Any

    def combined(self, ctx: LoweringContext, rows: Value, monoid: str) -> Value:
        """The rows of each bag, combined by `monoid`."""
        b, rest = ctx.b, rows.type.shape[1:]
        if self.apart:
            return b.reduce(b.reshape(rows, (self.count, self.apart, *rest)), monoid, (1,))
        none = float("-inf") if monoid == "maximum" else 0.0
        start = b.scalar(none, rows.type.dtype, (self.count, *rest))
        return put(b, start, [0], [self.of], 0, rows, monoid, "mask")


def _bag_of_each(ctx: LoweringContext, offsets: Value, count: Any) -> Value:
    """The bag of each index: how many bags begin at it or before, less one."""
    b, bags, apart = ctx.b, offsets.type.shape[0], _apart(offsets, count)
    if apart:
        own = b.iota(I64, (bags,), 0)
        return b.reshape(b.broadcast_in_dim(own, (bags, apart), (0,)), (count,))
    none, one = b.scalar(0, I64, (count,)), b.scalar(1, I64, (bags,))
    begin = put(b, none, [0], [offsets], 0, one, "add", "mask")
    begun = b.node("cumulative", begin, monoid="add", dimension=0, reverse=False)
    return ctx.sub(begun, 1)


def _apart(offsets: Value, count: Any) -> Any:
    """How many indices each bag has, where all have as many, as rows of indices do; 0 elsewhere."""
    match offsets.op, [x.op for x in offsets.operands]:
        case "multiply", ["iota", "constant"]:
            apart = offsets.operands[1]["value"]
            return apart if offsets.type.shape[0] * apart == count else 0
    return 0


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
    all_of = _counted(ctx, indices, offsets, bags, _NO_PADDING).of
    shown = b.convert(all_of, of_type.dtype) if of_type.shape == all_of.type.shape else None
    none = b.scalar(0, sizes_type.dtype, sizes_type.shape)
    sizes = b.convert(_sizes(ctx, of, F32), sizes_type.dtype) if mode == _MEAN else none
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
) -> _Bags:
    """The bag of each index; what is padding is in none."""
    offsets, count = slice_along(ctx, offsets, 0, 0, bags), indices.type.shape[0]
    apart, of = _apart(offsets, count), _bag_of_each(ctx, offsets, count)
    if padding < 0:
        return _Bags(bags, of, apart)
    return _Bags(bags, ctx.select(ctx.compare(indices, padding, "EQ"), bags, of), 0)


def _reduced(
    ctx: LoweringContext,
    table: Value,
    indices: Value,
    bags: _Bags,
    mode: int,
    weights: Value | None,
) -> Value:
    dtype, b = upcast_dtype(table.type.dtype), ctx.b
    rows = ctx.cast(take(b, table, [0], [indices], 0, "clamp"), dtype)
    rows = rows if weights is None else ctx.mul(rows, _along(ctx, weights, rows))
    found = bags.combined(ctx, rows, "maximum" if mode == _MAX else "add")
    return b.convert(found if mode == _SUM else _of_sizes(ctx, mode, found, bags), ctx.out.dtype)


def _of_sizes(ctx: LoweringContext, mode: int, found: Value, bags: _Bags) -> Value:
    """A mean is divided by the sizes of the bags; the largest of an empty bag is 0."""
    sizes = _along(ctx, _sizes(ctx, bags, found.type.dtype), found)
    if mode == _MEAN:
        return ctx.div(found, ctx.op("maximum", sizes, 1.0))
    return ctx.select(ctx.compare(sizes, 0.0, "EQ"), 0.0, found)


def _sizes(ctx: LoweringContext, bags: _Bags, dtype: DType) -> Value:
    """How many indices each bag has."""
    if bags.apart:
        return ctx.b.scalar(bags.apart, dtype, (bags.count,))
    return bags.combined(ctx, ctx.b.scalar(1.0, dtype, bags.of.type.shape), "add")


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
    rows = take(b, whole, [0], [of.of], 0, "clamp")
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
    of = _counted(ctx, indices, offsets, grad.type.shape[0], _NO_PADDING).of
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
