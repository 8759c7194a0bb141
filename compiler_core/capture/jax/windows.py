"""JAX's window operations: reductions over windows by a function that is a monoid's, and the
gradient of those that select an element (select_and_scatter_add)."""

from collections.abc import Callable
from math import prod
from typing import Any

from compiler_core.capture.jax.views import JaxRule, Params
from compiler_core.capture.lowering_context import LoweringContext, Operand, upcast_dtype
from compiler_core.capture.places import put_along, take
from compiler_core.ir.evaluate import identity
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL, I32, DType

# The monoid of a window's function, by the primitive that combines two values.
_MONOIDS = {
    "add": "add", "mul": "multiply", "max": "maximum", "min": "minimum", "and": "and", "or": "or",
}  # fmt: skip


def _window(p: Params, x: Value) -> dict[str, Any]:
    """The attributes of a reduce_window; without dilations, where there are none."""
    low, high = zip(*p["padding"], strict=True) if p["padding"] else ((), ())
    ones = (1,) * x.type.rank
    return {
        "window": tuple(p["window_dimensions"]), "strides": tuple(p["window_strides"]),
        "base_dilation": tuple(p.get("base_dilation", ones)),
        "window_dilation": tuple(p.get("window_dilation", ones)), "low": low, "high": high,
    }  # fmt: skip


def _reduce(monoid: str) -> Callable[[LoweringContext, Params, Value], Value]:
    def rule(ctx: LoweringContext, p: Params, x: Value) -> Value:
        return ctx.b.node("reduce_window", x, monoid=monoid, **_window(p, x))

    return rule


def monoid_of(function: Any, dtype: DType) -> str | None:
    """The monoid that a function of two values computes; None if it is more than one such
    operation."""
    if len(function.eqns) != 1:
        return None
    (eqn,) = function.eqns
    found = _MONOIDS.get(eqn.primitive.name)
    if found is None or {*eqn.invars} != {*function.invars} or [*eqn.outvars] != function.outvars:
        return None
    return "and" if found == "multiply" and dtype is BOOL else found


def _by_function(ctx: LoweringContext, p: Params, x: Value, *rest: Operand) -> Value | None:
    """Every window begins with `init`. What stands beside the operand XLA leaves out."""
    monoid = monoid_of(p["jaxpr"], x.type.dtype)
    if len(rest) != 1 or p["consts"] or monoid is None:
        return None
    (init,) = rest
    result = _reduce(monoid)(ctx, p, x)
    if not isinstance(init, Value) and init == identity(monoid, x.type.dtype):
        return result
    return ctx.b.node(monoid, result, ctx.fit(init, x.type.dtype, result.type.shape))


_SELECTIONS = {"ge": "argmax", "le": "argmin"}


def _extremes(ctx: LoweringContext, p: Params, x: Value) -> Value | None:
    """Where each window's extreme is in the flat operand, the first of equals."""
    monoid = _SELECTIONS.get(p["select_prim"].name)
    if monoid is None or x.type.numel >= 2**31:
        return None
    place = ctx.b.iota(I32, x.type.shape, 0)
    for d in range(1, x.type.rank):
        step = ctx.b.iota(I32, x.type.shape, d)
        place = ctx.add(ctx.mul(place, x.type.sizes[d]), step)
    _, at = ctx.b.operation("reduce_window", (x, place), monoid=monoid, **_window(p, x))
    return at


def _select_and_scatter_add(
    ctx: LoweringContext, p: Params, source: Value, x: Value
) -> Value | None:
    """Each element of `source` is added where its window's extreme is."""
    at = _extremes(ctx, p, x)
    if at is None:
        return None
    zeros = ctx.b.scalar(0.0, upcast_dtype(ctx.out.dtype), (prod(x.type.sizes),))
    updates, at = (ctx.b.reshape(v, (source.type.numel,)) for v in (source, at))
    updates = ctx.cast(updates, zeros.type.dtype)
    result = put_along(ctx.b, zeros, 0, at, updates, "add", "mask")
    return ctx.downcast(ctx.b.reshape(result, ctx.out.shape))


def _select_and_gather_add(
    ctx: LoweringContext, p: Params, source: Value, x: Value
) -> Value | None:
    """For each window the element of `source` where its extreme is; 0 for one without elements."""
    at = _extremes(ctx, p, x)
    if at is None:
        return None
    return take(ctx.b, ctx.b.reshape(source, (x.type.numel,)), [0], [at], 0, "mask")


TABLE: dict[str, JaxRule] = {
    "reduce_window": _by_function,
    "reduce_window_sum": _reduce("add"),
    "reduce_window_max": _reduce("maximum"),
    "reduce_window_min": _reduce("minimum"),
    "select_and_scatter_add": _select_and_scatter_add,
    "select_and_gather_add": _select_and_gather_add,
}
