"""ATen's gathers and scatters.

torch raises an error for an index out of bounds. Here a gather reads the nearest element instead,
and a scatter drops the update, so that no memory outside of the tensor is touched. In advanced
indexing, negative indices count from the end.
"""

from collections.abc import Sequence
from typing import Any

from compiler_core.capture.lowering_context import LoweringContext, Number, Operand, upcast_dtype
from compiler_core.capture.places import put, put_along, take, take_along
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
    dim %= x.type.rank
    return take_along(ctx.b, _cropped(ctx, x, dim, indices), dim, indices, "clamp")


def _scatter(combine: str) -> TorchRule:
    """`src` is a tensor at least as large as the indices, or a number."""

    def rule(
        ctx: LoweringContext, x: Value, dim: int, indices: Value, src: Operand, *_: Any
    ) -> Value | None:
        same = all(
            d == dim % max(1, x.type.rank) or size == x.type.shape[d]
            for d, size in enumerate(indices.type.shape)
        )
        if x.type.rank == 0 or not same:
            return None
        if isinstance(src, Value):
            for d, size in enumerate(indices.type.shape):
                src = slice_along(ctx, src, d, 0, size)
        updates = ctx.fit(src, x.type.dtype, indices.type.shape)
        return put_along(ctx.b, x, dim % x.type.rank, indices, updates, combine, "mask")

    return rule


_REDUCE = {"sum": "add", "add": "add", "prod": "multiply", "multiply": "multiply",
           "amax": "maximum", "amin": "minimum"}  # fmt: skip


def _scatter_reduce(
    ctx: LoweringContext, x: Value, dim: int, indices: Value, src: Operand, reduce: str,
    include_self: bool = True,
) -> Value | None:  # fmt: skip
    if reduce not in _REDUCE or not include_self:
        return None
    result: Value | None = _scatter(_REDUCE[reduce])(ctx, x, dim, indices, src)
    return result


def _index_write(combine: str) -> TorchRule:
    """`indices` of one dimension say where along `dim` each slice of `src` goes."""

    def rule(
        ctx: LoweringContext, x: Value, dim: int, indices: Value, src: Value, alpha: Number = 1
    ) -> Value | None:
        if x.type.rank == 0 or indices.type.rank != 1:
            return None
        dim %= x.type.rank
        updates = src if alpha == 1 else ctx.mul(src, alpha)
        return put(ctx.b, x, [dim], [indices], dim, updates, combine, "mask")

    return rule


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
        return None if accumulate else _mask_put(ctx, x, indices, values)
    dims, at, place = found
    kept = [s for d, s in enumerate(x.type.shape) if d not in dims]
    shape = (*kept[:place], *at[0].type.shape, *kept[place:])
    updates = ctx.fit(values, x.type.dtype, shape)
    return put(ctx.b, x, dims, at, place, updates, "add" if accumulate else "set", "wrap")


def _mask_put(ctx: LoweringContext, x: Value, indices: Indices, values: Value) -> Value | None:
    """Every place of one mask has the same values: else what goes where depends on data."""
    given = [(d, i) for d, i in enumerate(indices) if i is not None]
    if len(given) != 1 or given[0][1].type.dtype is not BOOL:
        return None
    ((first, mask),) = given
    end = first + mask.type.rank
    before, after = x.type.shape[:first], x.type.shape[end:]
    # In the shape that reading at the mask has: its dimensions are one, as long as it has trues.
    rank = len(before) + 1 + len(after)
    shape = (1,) * (rank - values.type.rank) + values.type.shape
    if len(shape) != rank or shape[first] != 1:
        return None
    around = (*shape[:first], *(1 for _ in mask.type.shape), *shape[first + 1 :])
    spread = ctx.b.reshape(mask, (*(1 for _ in before), *mask.type.shape, *(1 for _ in after)))
    return ctx.select(
        ctx.fit(spread, BOOL, x.type.shape), ctx.like(ctx.b.reshape(values, around), x), x
    )


TABLE: dict[str, TorchRule] = {
    "index_select": _index_select,
    "index_add": _index_write("add"),
    "index_copy": _index_write("set"),
    "embedding": _embedding,
    "embedding_dense_backward": _embedding_backward,
    "gather": _gather,
    "scatter.src": _scatter("set"),
    "scatter.value": _scatter("set"),
    "scatter_add": _scatter("add"),
    "scatter_reduce.two": _scatter_reduce,
    "index.Tensor": _index,
    "_unsafe_index.Tensor": _index,
    "index_put": _index_put,
    "_unsafe_index_put": _index_put,
}
