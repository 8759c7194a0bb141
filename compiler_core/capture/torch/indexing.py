"""ATen's gathers, and its advanced indexing.

torch raises an error for an index out of bounds. Here a gather reads the nearest element instead,
and a scatter drops the update, so that no memory outside of the tensor is touched. In advanced
indexing, negative indices count from the end.
"""

from collections.abc import Sequence
from typing import Any

from compiler_core.capture.lowering_context import LoweringContext, Number, upcast_dtype
from compiler_core.capture.places import put, take, take_along
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.slices import slice_along
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim
from compiler_core.ir.types import BOOL, I64

Indices = Sequence[Value | None]


def _index_select(ctx: LoweringContext, x: Value, dim: int, indices: Value) -> Value:
    if x.type.rank == 0:
        return ctx.b.broadcast(x, ctx.out.shape)
    flat = ctx.b.reshape(indices, (indices.type.elements,))
    return take(ctx.b, x, [dim % x.type.rank], [flat], dim % x.type.rank, "clamp")


def _embedding(ctx: LoweringContext, weight: Value, indices: Value, *_: Any) -> Value:
    return take(ctx.b, weight, [0], [indices], 0, "clamp")


def _embedding_backward(
    ctx: LoweringContext, grad: Value, indices: Value, rows: int, padding: int, by_frequency: bool
) -> Value | None:
    """The gradients of the rows, each added where it was read; none at the padding's."""
    if by_frequency:
        return None
    # Half precision is added up in single, as torch does.
    zeros = ctx.b.scalar(0.0, upcast_dtype(ctx.out.dtype), ctx.out.shape)
    updates = ctx.cast(grad, zeros.type.dtype)
    if padding >= 0:
        # Beyond the last row: left out.
        indices = ctx.select(ctx.compare(indices, padding, "EQ"), rows, indices)
    return ctx.downcast(put(ctx.b, zeros, [0], [indices], 0, updates, "add", "mask"))


def _cropped(ctx: LoweringContext, x: Value, dim: int, indices: Value) -> Value:
    """torch.gather's operand may be longer than its indices in the other dimensions."""
    for d, size in enumerate(indices.type.shape):
        x = x if d == dim else slice_along(ctx, x, d, 0, size)
    return x


def _gather(ctx: LoweringContext, x: Value, dim: int, indices: Value, *_: Any) -> Value:
    if x.type.rank == 0:
        return ctx.b.broadcast(x, ctx.out.shape)
    if 0 in indices.type.shape:
        return ctx.cast(0, ctx.out.dtype, ctx.out.shape)
    dim %= x.type.rank
    return take_along(ctx.b, _cropped(ctx, x, dim, indices), dim, indices, "clamp")


# -- advanced indexing


def _places(ctx: LoweringContext, indices: Indices) -> tuple[list[int], list[Value], int] | None:
    """The dimensions that are indexed, their indices broadcast to one shape, and where the result
    has these; None for a mask, whose result's size depends on data."""
    given = [(d, i) for d, i in enumerate(indices) if i is not None]
    if not given or any(i.type.dtype is BOOL or i.type.dtype.bits == 8 for _, i in given):
        return None
    dims = [d for d, _ in given]
    shape = _broadcast([i for _, i in given])
    together = dims == list(range(dims[0], dims[0] + len(dims)))
    return dims, [ctx.fit(i, I64, shape) for _, i in given], dims[0] if together else 0


def _broadcast(values: Sequence[Value]) -> tuple[Dim, ...]:
    rank = max(v.type.rank for v in values)
    shapes = [(1,) * (rank - v.type.rank) + v.type.shape for v in values]
    return tuple(next((s for s in column if s != 1), 1) for column in zip(*shapes, strict=True))


def _index(ctx: LoweringContext, x: Value, indices: Indices) -> Value | None:
    found = _places(ctx, indices)
    if found is None:
        return None
    dims, values, place = found
    return take(ctx.b, x, dims, values, place, "wrap")


def _index_put(
    ctx: LoweringContext, x: Value, indices: Indices, values: Value, accumulate: bool = False,
    *_: Any,
) -> Value | None:  # fmt: skip
    found = _places(ctx, indices)
    if found is None:
        return _mask_put(ctx, x, indices, values, accumulate)
    dims, at, place = found
    kept = [s for d, s in enumerate(x.type.shape) if d not in dims]
    shape = (*kept[:place], *at[0].type.shape, *kept[place:])
    updates = ctx.fit(values, x.type.dtype, shape)
    return put(ctx.b, x, dims, at, place, updates, "add" if accumulate else "set", "wrap")


def _mask_put(
    ctx: LoweringContext, x: Value, indices: Indices, values: Value, accumulate: bool
) -> Value | None:
    """Where one mask holds: the same everywhere, or the next of the values wherever it does."""
    given = [(d, i) for d, i in enumerate(indices) if i is not None]
    if len(given) != 1 or given[0][1].type.dtype is not BOOL:
        return None
    ((first, mask),) = given
    end = first + mask.type.rank
    before, after = x.type.shape[:first], x.type.shape[end:]
    # In the shape that reading at the mask has: its dimensions are one, as long as it has trues.
    rank = len(before) + 1 + len(after)
    shape = (1,) * (rank - values.type.rank) + values.type.shape
    if len(shape) != rank:
        return None
    if shape[first] == 0:  # it holds nowhere
        return x
    values = ctx.b.reshape(values, shape)
    if shape[first] == 1:
        around = (*shape[:first], *(1 for _ in mask.type.shape), *shape[first + 1 :])
        found = ctx.like(ctx.b.reshape(values, around), x)
    else:
        found = ctx.like(take(ctx.b, values, [first], [_ranks(ctx, mask)], first, "clamp"), x)
    spread = ctx.b.reshape(mask, (*(1 for _ in before), *mask.type.shape, *(1 for _ in after)))
    new = ctx.add(x, found) if accumulate else found
    return ctx.select(ctx.fit(spread, BOOL, x.type.shape), new, x)


def _ranks(ctx: LoweringContext, mask: Value) -> Value:
    """How many elements of a mask hold before each."""
    flat = ctx.b.convert(ctx.b.reshape(mask, (mask.type.elements,)), I64)
    upto = ctx.b.node("cumulative", flat, monoid="add", dimension=0, reverse=False)
    return ctx.b.reshape(ctx.sub(upto, 1), mask.type.shape)


def _masked_index(
    ctx: LoweringContext, x: Value, mask: Value, indices: Indices, fill: Number
) -> Value | None:
    """Where the mask holds, what is at the indices; else `fill`."""
    found = _index(ctx, x, indices)
    if found is None or 0 in x.type.shape:
        return None
    return ctx.select(ctx.b.broadcast(mask, found.type.shape), found, fill)


def _masked_put(
    ctx: LoweringContext, x: Value, mask: Value, indices: Indices, values: Value
) -> Value | None:
    """Where the mask holds, values are added at the indices."""
    kept = ctx.select(ctx.b.broadcast(mask, values.type.shape), values, 0)
    return _index_put(ctx, x, indices, kept, True)


TABLE: dict[str, TorchRule] = {
    "index_select": _index_select,
    "embedding": _embedding,
    "embedding_dense_backward": _embedding_backward,
    "gather": _gather,
    "index.Tensor": _index,
    "_unsafe_index.Tensor": _index,
    "_unsafe_masked_index": _masked_index,
    "_unsafe_masked_index_put_accumulate": _masked_put,
    "index_put": _index_put,
    "_unsafe_index_put": _index_put,
}
