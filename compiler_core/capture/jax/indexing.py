"""JAX's gathers, scatters, slices at computed places and sorting: StableHLO's, with other
names."""

from collections.abc import Sequence
from typing import Any

from jax import lax

from compiler_core.capture.jax.views import JaxRule, Params
from compiler_core.capture.lowering_context import LoweringContext, Number, Operand
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL, I32, DType

# Policies by JAX's mode. An index that is promised to be in bounds, and by default one that is not
# known to be (`x[i]`), is clamped by XLA on a read and dropped on a write.
_READS = {
    lax.GatherScatterMode.CLIP: "clamp",
    lax.GatherScatterMode.FILL_OR_DROP: "mask",
    lax.GatherScatterMode.PROMISE_IN_BOUNDS: "clamp",
}
_WRITES = _READS | {lax.GatherScatterMode.PROMISE_IN_BOUNDS: "mask"}


def _fill(value: Number | None, dtype: DType) -> Number:
    """What a window out of bounds is read as: JAX's default is what shows up best."""
    if value is not None:
        return float(value) if dtype.is_float else bool(value) if dtype is BOOL else int(value)
    if dtype.is_float:
        return float("nan")
    if dtype is BOOL:
        return True
    return -(2 ** (dtype.bits - 1)) if dtype.kind == "int" else 2**dtype.bits - 1


def _gather(ctx: LoweringContext, p: Params, x: Operand, indices: Value) -> Value | None:
    d, policy = p["dimension_numbers"], _READS.get(p["mode"])
    if policy is None or not isinstance(x, Value):
        return None
    return ctx.b.node(
        "gather", x, indices, offset_dims=tuple(d.offset_dims),
        collapsed_slice_dims=tuple(d.collapsed_slice_dims),
        operand_batching_dims=tuple(d.operand_batching_dims),
        start_indices_batching_dims=tuple(d.start_indices_batching_dims),
        start_index_map=tuple(d.start_index_map), index_vector_dim=indices.type.rank - 1,
        slice_sizes=tuple(p["slice_sizes"]), out_of_bounds=policy,
        fill=_fill(p["fill_value"], ctx.out.dtype),
    )  # fmt: skip


def _scatter(combine: str) -> JaxRule:
    def rule(
        ctx: LoweringContext, p: Params, x: Value, indices: Value, updates: Operand
    ) -> Value | None:
        d, policy = p["dimension_numbers"], _WRITES.get(p["mode"])
        if policy is None:
            return None
        return ctx.b.node(
            "scatter", x, indices, ctx.cast(updates, ctx.out.dtype),
            update_window_dims=tuple(d.update_window_dims),
            inserted_window_dims=tuple(d.inserted_window_dims),
            input_batching_dims=tuple(d.operand_batching_dims),
            scatter_indices_batching_dims=tuple(d.scatter_indices_batching_dims),
            scatter_dims_to_operand_dims=tuple(d.scatter_dims_to_operand_dims),
            index_vector_dim=indices.type.rank - 1, combine=combine, out_of_bounds=policy,
            unique=bool(p["unique_indices"]),
        )  # fmt: skip

    return rule


def _starts(ctx: LoweringContext, starts: Sequence[Operand]) -> list[Value]:
    return [s if isinstance(s, Value) else ctx.cast(s, I32) for s in starts]


def _dynamic_slice(ctx: LoweringContext, p: Params, x: Value, *starts: Operand) -> Value:
    return ctx.b.node("dynamic_slice", x, *_starts(ctx, starts), sizes=tuple(p["slice_sizes"]))


def _dynamic_update_slice(
    ctx: LoweringContext, p: Params, x: Value, update: Operand, *starts: Operand
) -> Value:
    part = ctx.cast(update, ctx.out.dtype)
    return ctx.b.node("dynamic_update_slice", x, part, *_starts(ctx, starts))


def sort(ctx: LoweringContext, p: Params, *xs: Value) -> tuple[Value, ...]:
    """Sorts by the first `num_keys` operands; the others are moved along."""
    return ctx.b.operation(
        "sort", xs, dimension=p["dimension"], keys=p["num_keys"], descending=False,
        stable=bool(p["is_stable"]),
    )  # fmt: skip


def _top_k(ctx: LoweringContext, p: Params, x: Value) -> tuple[Value, ...] | None:
    return _greatest(ctx, x, p.get("axis", -1) % x.type.rank, p["k"])


def _greatest(ctx: LoweringContext, x: Value, dim: int, count: int) -> tuple[Value, ...]:
    """The `count` greatest along a dimension, and where they are."""
    order = [d for d in range(x.type.rank) if d != dim] + [dim]
    total = x.type.dtype.is_float
    found = ctx.b.operation("top_k", [ctx.b.transpose(x, order)], k=count, total=total)
    back = [order.index(d) for d in range(len(order))]
    values, places = (ctx.b.transpose(v, back) for v in found)
    return values, ctx.b.convert(places, ctx.types[1].dtype)


def _approx_top_k(ctx: LoweringContext, p: Params, x: Value) -> tuple[Value, ...] | None:
    """All of the greatest, or least, along a dimension: an approximation may be exact."""
    dim, count = p["reduction_dimension"] % x.type.rank, p["k"]
    if ctx.out.shape[dim] != count:
        return None
    if p["is_max_k"]:
        return _greatest(ctx, x, dim, count)
    values, places = _greatest(ctx, ctx.neg(x), dim, count)
    return ctx.neg(values), places


def _cumlogsumexp(ctx: LoweringContext, p: Params, x: Value) -> Value:
    """The greatest so far and the sum of exponentials below it, running together."""
    attrs: dict[str, Any] = {"dimension": p["axis"], "reverse": bool(p["reverse"])}
    (upcast,) = ctx.upcast(x)
    both = [upcast, ctx.like(1, upcast)]
    top, total = ctx.b.operation("cumulative", both, monoid="online_softmax", **attrs)
    return ctx.downcast(ctx.add(ctx.b.node("log", total), top))


TABLE: dict[str, JaxRule] = {
    "gather": _gather,
    "scatter": _scatter("set"),
    "scatter-add": _scatter("add"),
    "scatter-mul": _scatter("multiply"),
    "scatter-max": _scatter("maximum"),
    "scatter-min": _scatter("minimum"),
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "sort": sort,
    "top_k": _top_k,
    "approx_top_k": _approx_top_k,
    "cumlogsumexp": _cumlogsumexp,
}
