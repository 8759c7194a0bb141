"""ATen's sorting."""

from typing import Any

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.places import take_along
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.slices import slice_along
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim, floordiv
from compiler_core.ir.types import I64


def _sorted(
    ctx: LoweringContext, x: Value, dim: int, descending: bool, stable: bool
) -> tuple[Value, Value]:
    place = ctx.b.iota(I64, x.type.shape, dim)
    values, places = ctx.b.operation(
        "sort", [x, place], dimension=dim, keys=1, descending=descending, stable=stable
    )
    return values, places


def _sort(ctx: LoweringContext, x: Value, dim: int = -1, descending: bool = False) -> Any:
    return _sort_stable(ctx, x, False, dim, descending)


def _sort_stable(
    ctx: LoweringContext, x: Value, stable: bool | None, dim: int = -1, descending: bool = False
) -> tuple[Value, Value]:
    if x.type.rank == 0:
        return x, ctx.b.scalar(0, I64)
    return _sorted(ctx, x, dim % x.type.rank, descending, bool(stable))


def _topk(
    ctx: LoweringContext, x: Value, k: int, dim: int = -1, largest: bool = True, *_: Any
) -> tuple[Value, Value]:
    if x.type.rank == 0:
        return ctx.b.reshape(x, ctx.out.shape), ctx.b.scalar(0, I64, ctx.out.shape)
    dim %= x.type.rank
    if not largest:
        values, places = _sorted(ctx, x, dim, descending=False, stable=False)
        return slice_along(ctx, values, dim, 0, k), slice_along(ctx, places, dim, 0, k)
    # top_k is of the last dimension.
    order = [d for d in range(x.type.rank) if d != dim] + [dim]
    found = ctx.b.operation("top_k", [ctx.b.transpose(x, order)], k=k, total=False)
    values, places = (
        ctx.b.transpose(v, [order.index(d) for d in range(len(order))]) for v in found
    )
    return values, ctx.b.convert(places, I64)


def _kthvalue(
    ctx: LoweringContext, x: Value, k: int, dim: int = -1, keepdim: bool = False
) -> tuple[Value, Value]:
    if x.type.rank == 0:
        return x, ctx.b.scalar(0, I64)
    dim %= x.type.rank
    return _only(ctx, _sorted(ctx, x, dim, descending=False, stable=False), dim, k - 1, keepdim)


def _median(*, of_numbers: bool) -> TorchRule:
    """The lower of the two middle ones. A NaN is the median of its row, the first one of several,
    unless it is the median `of_numbers`."""

    def rule(
        ctx: LoweringContext, x: Value, dim: int = -1, keepdim: bool = False
    ) -> tuple[Value, Value] | None:
        if x.type.rank == 0:
            return x, ctx.b.scalar(0, I64)
        dim %= x.type.rank
        if x.type.shape[dim] == 0:
            return None
        both = _sorted(ctx, x, dim, descending=False, stable=True)
        if not x.type.dtype.is_float:
            return _only(ctx, both, dim, floordiv(x.type.shape[dim] - 1, 2), keepdim)
        at = _middle(ctx, x, dim, of_numbers)
        values, places = (take_along(ctx.b, v, dim, at, "clamp") for v in both)
        return _kept(ctx, values, dim, keepdim), _kept(ctx, places, dim, keepdim)

    return rule


def _middle(ctx: LoweringContext, x: Value, dim: int, of_numbers: bool) -> Value:
    """The place of the median in each row that is in order, NaNs last: i64, `dim` of size 1."""
    numbers = ctx.b.convert(ctx.b.compare(x, x, "EQ"), I64)
    count = ctx.b.reduce(numbers, "add", (dim,), True)
    shape, length = count.type.shape, x.type.shape[dim]
    if of_numbers:
        one, two = (ctx.b.scalar(n, I64, shape) for n in (1, 2))
        last = ctx.b.node("subtract", ctx.b.node("maximum", count, one), one)
        return ctx.b.node("divide", last, two)
    whole = ctx.b.compare(count, ctx.b.scalar(length, I64, shape), "EQ")
    middle = ctx.b.scalar(floordiv(length - 1, 2), I64, shape)
    return ctx.b.node("select", whole, middle, count)


def _of_all(rule: TorchRule) -> TorchRule:
    """The value alone, of all elements."""

    def whole(ctx: LoweringContext, x: Value) -> Value | None:
        both = rule(ctx, ctx.b.reshape(x, (x.type.elements,)), 0)
        return None if both is None else both[0]

    return whole


def _only(
    ctx: LoweringContext, both: tuple[Value, Value], dim: int, at: Dim, keepdim: bool
) -> tuple[Value, Value]:
    values, places = (slice_along(ctx, v, dim, at, at + 1) for v in both)
    return _kept(ctx, values, dim, keepdim), _kept(ctx, places, dim, keepdim)


def _kept(ctx: LoweringContext, x: Value, dim: int, keepdim: bool) -> Value:
    """`x`, whose `dim` has size 1, with or without it."""
    shape = x.type.shape
    return x if keepdim else ctx.b.reshape(x, (*shape[:dim], *shape[dim + 1 :]))


_MEDIAN, _NANMEDIAN = _median(of_numbers=False), _median(of_numbers=True)
TABLE: dict[str, TorchRule] = {
    "sort": _sort,
    "sort.stable": _sort_stable,
    "topk": _topk,
    "kthvalue": _kthvalue,
    "median.dim": _MEDIAN,
    "nanmedian.dim": _NANMEDIAN,
    "median": _of_all(_MEDIAN),
    "nanmedian": _of_all(_NANMEDIAN),
}
