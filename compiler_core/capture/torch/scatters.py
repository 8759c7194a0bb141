"""ATen's scatters: elements combined into those at indices, of a tensor's own rank or along one
dimension. An update out of bounds is dropped, where torch raises an error."""

import math
from collections.abc import Callable
from typing import Any

from compiler_core.capture.lowering_context import LoweringContext, Number, Operand
from compiler_core.capture.places import put, put_along, take
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.slices import slice_along
from compiler_core.ir.evaluate import identity
from compiler_core.ir.graph import Value
from compiler_core.ir.types import I64

# `x` with the updates of a scatter, or the number of updates, combined into its elements.
Write = Callable[[Value, Operand, str], Value]

_REDUCE = {"sum": "add", "add": "add", "prod": "multiply", "multiply": "multiply",
           "amax": "maximum", "amin": "minimum", "mean": "add"}  # fmt: skip


def _writer(ctx: LoweringContext, dim: int, indices: Value) -> Write:
    """As torch.scatter writes: update [i, j, k] goes to [i, indices[i, j, k], k] for `dim` 1; a
    tensor of updates may be larger than the indices."""

    def write(x: Value, updates: Operand, combine: str) -> Value:
        if x.type.rank == 0:
            one = write(ctx.b.reshape(x, (1,)), updates, combine)
            return ctx.b.reshape(one, ())
        at = indices if indices.type.rank else ctx.b.reshape(indices, (1,))
        if isinstance(updates, Value) and updates.type.rank == at.type.rank:
            for d, size in enumerate(at.type.shape):
                updates = slice_along(ctx, updates, d, 0, size)
        values = ctx.fit(updates, x.type.dtype, at.type.shape)
        return _put_each(ctx, x, dim % x.type.rank, at, values, combine)

    return write


def _put_each(
    ctx: LoweringContext, x: Value, dim: int, at: Value, updates: Value, combine: str
) -> Value:
    """The indices may be of fewer rows than `x` has: then each has all its coordinates."""
    if 0 in at.type.shape:
        return x
    rank, shape = x.type.rank, at.type.shape
    if all(d == dim or size == x.type.shape[d] for d, size in enumerate(shape)):
        return put_along(ctx.b, x, dim, at, updates, combine, "mask")
    places = [at if d == dim else ctx.b.iota(I64, shape, d) for d in range(rank)]
    return put(ctx.b, x, range(rank), places, 0, updates, combine, "mask")


def _scatter(combine: str) -> TorchRule:
    """`src` is a tensor at least as large as the indices, or a number."""

    def rule(
        ctx: LoweringContext, x: Value, dim: int, indices: Value, src: Operand, *_: Any
    ) -> Value:
        return _writer(ctx, dim, indices)(x, src, combine)

    return rule


def _reduce_by(writer: Callable[[LoweringContext, int, Value], Write]) -> TorchRule:
    def rule(
        ctx: LoweringContext, x: Value, dim: int, indices: Value, src: Operand, reduce: str,
        include_self: bool = True,
    ) -> Value:  # fmt: skip
        return _reduced(ctx, x, src, reduce, include_self, writer(ctx, dim, indices))

    return rule


def _reduced(
    ctx: LoweringContext, x: Value, src: Operand, reduce: str, include_self: bool, write: Write
) -> Value:
    """Without what is there itself, the elements that are written to start from nothing."""
    combine = _REDUCE[reduce]
    start = x if include_self else write(x, identity(combine, x.type.dtype), "set")
    total = write(start, src, combine)
    if reduce != "mean":
        return total
    ones = ctx.like(1, x)
    counts = write(ones if include_self else write(ones, 0, "set"), 1, "add")
    if x.type.dtype.is_float:
        return ctx.div(total, counts)
    return _floor(ctx, total, counts)


def _floor(ctx: LoweringContext, total: Value, count: Value) -> Value:
    """Of whole numbers, by a positive count, towards -inf."""
    quotient = ctx.div(total, count)
    rest = ctx.sub(total, ctx.mul(quotient, count))
    return ctx.select(ctx.compare(rest, 0, "LT"), ctx.sub(quotient, 1), quotient)


# -- whole slices


def _slice_writer(ctx: LoweringContext, dim: int, indices: Value) -> Write:
    """Slices of the updates go to those along `dim` that indices of one dimension name."""
    flat = ctx.b.reshape(indices, (indices.type.elements,))

    def write(x: Value, updates: Operand, combine: str) -> Value:
        if x.type.rank == 0:
            return ctx.b.reshape(write(ctx.b.reshape(x, (1,)), updates, combine), ())
        along = dim % x.type.rank
        shape = tuple(flat.type.shape[0] if d == along else s for d, s in enumerate(x.type.shape))
        if isinstance(updates, Value) and updates.type.rank == 0:
            updates = ctx.b.broadcast(updates, shape)
        values = ctx.fit(updates, x.type.dtype, shape)
        return put(ctx.b, x, [along], [flat], along, values, combine, "mask")

    return write


def _index_write(combine: str) -> TorchRule:
    def rule(
        ctx: LoweringContext, x: Value, dim: int, indices: Value, src: Value, alpha: Number = 1
    ) -> Value:
        updates = src if alpha == 1 else ctx.mul(src, alpha)
        return _slice_writer(ctx, dim, indices)(x, updates, combine)

    return rule


def _index_fill(ctx: LoweringContext, x: Value, dim: int, indices: Value, value: Operand) -> Value:
    rank = max(1, x.type.rank)
    size = x.type.shape[dim % rank] if x.type.rank else 1
    # Negative ones count from the end here.
    below = ctx.compare(indices, 0, "LT")
    at = ctx.select(below, ctx.add(indices, size), indices)
    return _slice_writer(ctx, dim, at)(x, value, "set")


def _embedding_renorm(
    ctx: LoweringContext, table: Value, indices: Value, most: float, order: float
) -> Value:
    """The rows that are named, made no longer than `most`."""
    flat = ctx.b.reshape(indices, (indices.type.elements,))
    rows = take(ctx.b, table, [0], [flat], 0, "clamp")
    size = ctx.b.node("abs", rows)
    if order == 2:
        norm = ctx.b.node("sqrt", ctx.b.reduce(ctx.mul(size, size), "add", (1,), True))
    elif order == math.inf:
        norm = ctx.b.reduce(size, "maximum", (1,), True)
    else:
        total = ctx.b.reduce(ctx.op("power", size, order), "add", (1,), True)
        norm = ctx.op("power", total, 1 / order)
    # torch's own distance from zero.
    scale = ctx.div(ctx.like(most, norm), ctx.add(norm, 1e-7))
    scale = ctx.select(ctx.compare(norm, most, "GT"), scale, 1.0)
    return put(ctx.b, table, [0], [flat], 0, ctx.mul(rows, scale), "set", "mask")


TABLE: dict[str, TorchRule] = {
    "scatter.src": _scatter("set"),
    "scatter.value": _scatter("set"),
    "scatter_add": _scatter("add"),
    "scatter.reduce": _reduce_by(_writer),
    "scatter.value_reduce": _reduce_by(_writer),
    "scatter_reduce.two": _reduce_by(_writer),
    "index_add": _index_write("add"),
    "index_copy": _index_write("set"),
    "index_fill": _index_fill,
    "index_reduce": _reduce_by(_slice_writer),
    "embedding_renorm": _embedding_renorm,
}
