"""ATen's sorting."""

from typing import Any

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.views import slice_along
from compiler_core.ir.graph import Value
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
        values, places = _sorted(ctx, x, dim, descending=False, stable=True)
        return slice_along(ctx, values, dim, 0, k), slice_along(ctx, places, dim, 0, k)
    # top_k is of the last dimension.
    order = [d for d in range(x.type.rank) if d != dim] + [dim]
    found = ctx.b.operation("top_k", [ctx.b.transpose(x, order)], k=k)
    values, places = (
        ctx.b.transpose(v, [order.index(d) for d in range(len(order))]) for v in found
    )
    return values, ctx.b.convert(places, I64)


TABLE: dict[str, TorchRule] = {"sort": _sort, "sort.stable": _sort_stable, "topk": _topk}
