"""Slices of a tensor along one dimension, windows over it, and ATen's roll, which joins two
slices."""

from collections.abc import Sequence

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.places import take
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim, Size, Undecided, is_proved
from compiler_core.ir.types import I64


def slice_along(
    ctx: LoweringContext, x: Value, dim: int, start: Dim, limit: Dim, step: int = 1
) -> Value:
    """x[start:limit:step] along `dim`."""
    shape = x.type.shape
    if (start, limit, step) == (0, shape[dim], 1):
        return x
    return ctx.b.node(
        "slice",
        x,
        start=tuple(start if d == dim else 0 for d in range(len(shape))),
        limit=tuple(limit if d == dim else s for d, s in enumerate(shape)),
        strides=tuple(step if d == dim else 1 for d in range(len(shape))),
    )


def place_within(index: Dim, size: Dim) -> Dim:
    """The position of an element, or the end of a slice, from the start; a negative one counts from
    the end. Raises Undecided if it depends on a symbol whether it is inside."""
    place = index if index >= 0 else size + index
    if not 0 <= place <= size:
        raise Undecided(f"whether {index} is inside of {size} depends on the size")
    return place


def roll(ctx: LoweringContext, x: Value, shifts: Sequence[Dim], dims: Sequence[int] = ()) -> Value:
    """The elements shifted along each of `dims`, wrapping around at the end; without `dims`, along
    the flattened tensor."""
    if not dims:
        flat = ctx.b.reshape(x, (x.type.elements,))
        return ctx.b.reshape(roll(ctx, flat, shifts, [0]), x.type.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        dim %= x.type.rank
        size = x.type.shape[dim]
        cut = _first_rolled(shift, size)
        if cut is None:
            x = _rolled_by_places(ctx, x, shift, dim)
        elif cut != 0:
            parts = (
                slice_along(ctx, x, dim, cut, x.type.shape[dim]),
                slice_along(ctx, x, dim, 0, cut),
            )
            x = ctx.b.node("concatenate", *parts, dimension=dim)
    return x


def _first_rolled(shift: Dim, size: Dim) -> Dim | None:
    """The place of the element that comes first; None where it is one only for some values of a
    symbol, as where it may go around several times."""
    if not isinstance(shift, Size) and not isinstance(size, Size):
        return -shift % size if size else 0
    if is_proved(lambda: 0 < shift < size):
        return size - shift
    return -shift if is_proved(lambda: 0 <= -shift < size) else None


def _rolled_by_places(ctx: LoweringContext, x: Value, shift: Dim, dim: int) -> Value:
    """Each element from where it was, counted around."""
    b, size = ctx.b, x.type.shape[dim]
    length, by = b.scalar(size, I64, (size,)), b.scalar(shift, I64, (size,))
    # A remainder has the sign of what is divided.
    rest = b.node("remainder", b.node("subtract", b.iota(I64, (size,), 0), by), length)
    place = b.node("remainder", b.node("add", rest, length), length)
    return take(b, x, [dim], [place], dim, "clamp")


def windows_along(b: Builder, count: Dim, size: int, step: int) -> Value:
    """The indices of the elements of `count` windows along a dimension: i64[count, size]."""
    shape = (count, size)
    first = b.node("multiply", b.iota(I64, shape, 0), b.scalar(step, I64, shape))
    return b.node("add", first, b.iota(I64, shape, 1))


def unfold(ctx: LoweringContext, x: Value, dim: int, size: int, step: int) -> Value:
    """Windows along `dim`; their elements are the last dimension of the result."""
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
