"""ATen's views and rearrangements of elements, and tensors created from nothing (zeros, arange)."""

import sys
from collections.abc import Sequence
from typing import Any

from compiler_core.capture.lowering_context import LoweringContext, Number, Operand
from compiler_core.capture.places import take
from compiler_core.capture.special.bits import reread
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.slices import place_within, roll, slice_along, unfold
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim, Size, number, symbols
from compiler_core.ir.types import BOOL, F64, I64


def _reshape(ctx: LoweringContext, x: Value, *_: Any) -> Value:
    """The result's type already says the shape."""
    return ctx.b.reshape(x, ctx.out.shape)


def _same(ctx: LoweringContext, x: Value, *_: Any) -> Value:
    return x


def _permute(ctx: LoweringContext, x: Value, dims: Sequence[int]) -> Value:
    return ctx.b.transpose(x, [d % x.type.rank for d in dims])


def _transpose(ctx: LoweringContext, x: Value, first: int, second: int) -> Value:
    order = list(range(x.type.rank))
    if order:
        order[first], order[second] = order[second], order[first]
    return ctx.b.transpose(x, order)


def _t(ctx: LoweringContext, x: Value) -> Value:
    return ctx.b.transpose(x, tuple(reversed(range(x.type.rank))))


def _expand(ctx: LoweringContext, x: Value, *_: Any) -> Value:
    return ctx.b.broadcast(x, ctx.out.shape)


def _slice(
    ctx: LoweringContext,
    x: Value,
    dim: int = 0,
    start: Dim | None = None,
    end: Dim | None = None,
    step: int = 1,
) -> Value:
    dim %= x.type.rank
    if start in (None, 0) and (end is None or end == sys.maxsize) and step == 1:
        return x
    size = x.type.shape[dim]
    if any(isinstance(x, Size) for x in (size, start, end)):
        last = size if end is None or end == sys.maxsize else place_within(end, size)
        return slice_along(ctx, x, dim, place_within(start or 0, size), last, step)
    first, last, _ = slice(start, end, step).indices(size)
    return slice_along(ctx, x, dim, first, max(first, last), step)


def _select(ctx: LoweringContext, x: Value, dim: int, index: int) -> Value:
    dim %= x.type.rank
    size = x.type.shape[dim]
    at = place_within(index, size)
    return ctx.b.reshape(slice_along(ctx, x, dim, at, at + 1), ctx.out.shape)


def _pieces(ctx: LoweringContext, x: Value, dim: int) -> list[Value]:
    """As many pieces along `dim` as there are results, each as long as its type says."""
    dim, pieces = dim % x.type.rank, []
    at: Dim = 0
    for type_ in ctx.types:
        pieces.append(slice_along(ctx, x, dim, at, at + type_.shape[dim]))
        at += type_.shape[dim]
    return pieces


def _split(ctx: LoweringContext, x: Value, _: Any, dim: int = 0) -> list[Value]:
    return _pieces(ctx, x, dim)


def _unbind(ctx: LoweringContext, x: Value, dim: int = 0) -> list[Value]:
    dim %= x.type.rank
    return [
        ctx.b.reshape(slice_along(ctx, x, dim, i, i + 1), t.shape) for i, t in enumerate(ctx.types)
    ]


def _diagonal(
    ctx: LoweringContext, x: Value, offset: int = 0, first: int = 0, second: int = 1
) -> Value:
    """Every (columns + 1)-th element of the flattened matrix."""
    rank = x.type.rank
    first, second = first % rank, second % rank
    rest = [d for d in range(rank) if d not in (first, second)]
    rows, columns = x.type.shape[first], x.type.shape[second]
    batch = tuple(x.type.shape[d] for d in rest)
    flat = ctx.b.reshape(ctx.b.transpose(x, [*rest, first, second]), (*batch, rows * columns))
    start = offset if offset >= 0 else -offset * columns
    count = ctx.out.shape[-1]
    if count == 0:
        return ctx.b.reshape(slice_along(ctx, flat, len(batch), 0, 0), ctx.out.shape)
    if symbols(start) or symbols(columns) or symbols(count):  # no steps of a slice
        steps = ctx.mul(ctx.b.iota(I64, (count,), 0), columns + 1)
        return take(ctx.b, flat, [len(batch)], [ctx.add(steps, start)], len(batch), "clamp")
    step = number(columns) + 1
    return slice_along(ctx, flat, len(batch), start, start + (count - 1) * step + 1, step)


def _cat(ctx: LoweringContext, xs: Sequence[Value], dim: int = 0) -> Value:
    dim %= ctx.out.rank
    # torch lets empty vectors through whatever the other shapes are.
    parts = [ctx.cast(x, ctx.out.dtype) for x in xs if x.type.shape != (0,) or ctx.out.rank == 1]
    return parts[0] if len(parts) == 1 else ctx.b.node("concatenate", *parts, dimension=dim)


def _stack(ctx: LoweringContext, xs: Sequence[Value], dim: int = 0) -> Value:
    dim %= ctx.out.rank
    shape = tuple(1 if d == dim else s for d, s in enumerate(ctx.out.shape))
    return _cat(ctx, [ctx.b.reshape(x, shape) for x in xs], dim)


def _repeat(ctx: LoweringContext, x: Value, repeats: Sequence[int]) -> Value:
    """A new dimension before each old one, repeated, then the pairs merged."""
    shape = (1,) * (len(repeats) - x.type.rank) + x.type.shape
    pairs = tuple(v for r, s in zip(repeats, shape, strict=True) for v in (r, s))
    spread = ctx.b.broadcast_in_dim(ctx.b.reshape(x, shape), pairs, range(1, len(pairs), 2))
    return ctx.b.reshape(spread, ctx.out.shape)


def _flip(ctx: LoweringContext, x: Value, dims: Sequence[int]) -> Value:
    if not x.type.rank:
        return x
    return ctx.b.node("reverse", x, dimensions=tuple(sorted(d % x.type.rank for d in dims)))


def _pad(ctx: LoweringContext, x: Value, pads: Sequence[int], value: Number = 0) -> Value:
    """torch names the last dimension first."""
    rank = x.type.rank
    low, high = [0] * rank, [0] * rank
    for i in range(len(pads) // 2):
        low[rank - 1 - i], high[rank - 1 - i] = pads[2 * i], pads[2 * i + 1]
    return ctx.b.node(
        "pad", x, ctx.cast(value, x.type.dtype), low=tuple(low), high=tuple(high),
        interior=(0,) * rank,
    )  # fmt: skip


def triangle(ctx: LoweringContext, x: Value, offset: int, direction: str) -> Value:
    """A bool mask over the last two dimensions of `x`: column - row compared with `offset`."""
    shape = x.type.shape
    row = ctx.b.iota(I64, shape, len(shape) - 2)
    column = ctx.b.iota(I64, shape, len(shape) - 1)
    return ctx.b.compare(column, ctx.add(row, offset), direction)


def _tril(ctx: LoweringContext, x: Value, offset: int = 0) -> Value:
    return ctx.select(triangle(ctx, x, offset, "LE"), x, 0)


def _triu(ctx: LoweringContext, x: Value, offset: int = 0) -> Value:
    return ctx.select(triangle(ctx, x, offset, "GE"), x, 0)


# -- from nothing


def _constant(value: Number) -> TorchRule:
    return lambda ctx, *_: ctx.cast(value, ctx.out.dtype, ctx.out.shape)


def _full(ctx: LoweringContext, _: Any, value: Number, *__: Any) -> Value:
    return ctx.filled(value)


def _scalar_tensor(ctx: LoweringContext, value: Number, *_: Any) -> Value:
    return ctx.filled(value)


def _arange(ctx: LoweringContext, start: Number, end: Number, step: Number = 1, *_: Any) -> Value:
    """start + i * step, in double precision where a step is not whole."""
    if ctx.out.dtype.is_float:
        index = ctx.b.iota(F64, ctx.out.shape, 0)
        return ctx.downcast(ctx.add(ctx.mul(index, float(step)), float(start)))
    index = ctx.b.iota(ctx.out.dtype, ctx.out.shape, 0)
    index = index if step == 1 else ctx.mul(index, int(step))
    return index if start == 0 else ctx.add(index, int(start))


def _arange_to(ctx: LoweringContext, end: Number, *_: Any) -> Value:
    return _arange(ctx, 0, end)


def _linspace(
    ctx: LoweringContext, start: Operand, end: Operand, steps: int, *_: Any
) -> Value | None:
    if isinstance(start, Value) or isinstance(end, Value):
        return None
    if steps == 1:
        return ctx.cast(start, ctx.out.dtype, ctx.out.shape)
    index = ctx.b.iota(F64, ctx.out.shape, 0)
    step = (float(end) - float(start)) / max(1, steps - 1)
    up = ctx.add(ctx.mul(index, float(step)), float(start))
    down = ctx.add(ctx.mul(ctx.add(index, -float(steps - 1)), float(step)), float(end))
    return ctx.downcast(ctx.select(ctx.compare(index, float(steps // 2), "LT"), up, down))


def _eye(ctx: LoweringContext, *_: Any) -> Value:
    rows, columns = (ctx.b.iota(I64, ctx.out.shape, d) for d in (0, 1))
    return ctx.cast(ctx.b.compare(rows, columns, "EQ"), ctx.out.dtype)


def _view_as_type(ctx: LoweringContext, x: Value, *_: Any) -> Value | None:
    is_bool = BOOL in (x.type.dtype, ctx.out.dtype)
    return None if is_bool else reread(ctx, x, ctx.out)


# Operations that move elements, whatever these are: the parts of complex numbers and the bytes of
# 8-bit floats too.
MOVES: dict[str, TorchRule] = {
    **dict.fromkeys(
        ("view", "_unsafe_view", "reshape", "_reshape_alias", "unsqueeze", "squeeze", "view_copy",
         "_reshape_copy", "squeeze_copy", "unsqueeze_copy"),
        _reshape,
    ),
    **dict.fromkeys(("detach", "alias", "lift_fresh", "lift_fresh_copy", "lift", "view_as",
                     "contiguous"), _same),
    "permute": _permute,
    "transpose": _transpose,
    "t": _t,
    "expand": _expand,
    "slice": _slice,
    "select": _select,
    "split": _split,
    "split_with_sizes": _split,
    "unbind": _unbind,
    "diagonal": _diagonal,
    "diagonal_copy": _diagonal,
    "cat": _cat,
    "stack": _stack,
    "repeat": _repeat,
    "flip": _flip,
    "roll": roll,
    **dict.fromkeys(("unfold", "unfold_copy"), unfold),
    "tril": _tril,
    "triu": _triu,
}  # fmt: skip

TABLE: dict[str, TorchRule] = {
    **MOVES,
    "view.dtype": _view_as_type,
    "constant_pad_nd": _pad,
    **dict.fromkeys(("zeros", "zeros_like", "new_zeros", "_efficientzerotensor"), _constant(0)),
    **dict.fromkeys(("ones", "ones_like", "new_ones"), _constant(1)),
    # What is in such memory is not defined: zero is as good as anything.
    **dict.fromkeys(
        ("empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided",
         "empty_permuted"), _constant(0)
    ),
    **dict.fromkeys(("full_like", "new_full", "full"), _full),
    "new_full": lambda ctx, x, size, value, *_: ctx.filled(value),
    "scalar_tensor": _scalar_tensor,
    "arange": _arange_to,
    "arange.start": lambda ctx, start, end, *_: _arange(ctx, start, end),
    "arange.start_step": _arange,
    "linspace": _linspace,
    "eye": _eye,
}  # fmt: skip
