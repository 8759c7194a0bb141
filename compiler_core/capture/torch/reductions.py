"""ATen's reductions and scans. f16 and bf16 are accumulated in f32, as torch's kernels do."""

import math
from collections.abc import Sequence
from typing import Any

from compiler_core.capture.formulas import extreme_with_index
from compiler_core.capture.lowering_context import LoweringContext, Number, upcast_dtype
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim, Size, number, product
from compiler_core.ir.types import BOOL, F32, F64, I64

Dims = int | Sequence[int] | None


def dims_of(x: Value, dims: Dims) -> tuple[int, ...]:
    """The reduced dimensions, from 0; None and the empty list mean all."""
    if dims is None or (not isinstance(dims, int) and len(dims) == 0):
        return tuple(range(x.type.rank))
    listed = (dims,) if isinstance(dims, int) else dims
    return tuple(sorted({d % x.type.rank for d in listed})) if x.type.rank else ()


def count(x: Value, dims: Sequence[int]) -> Dim:
    """The number of elements along `dims`."""
    return product(x.type.shape[d] for d in dims)


def sum_of(ctx: LoweringContext, x: Value, dims: Sequence[int], keepdims: bool = False) -> Value:
    """The sum over `dims`; without `keepdims` they are removed from the shape."""
    return ctx.b.reduce(x, "add", dims, keepdims)


def mean_of(ctx: LoweringContext, x: Value, dims: Sequence[int], keepdims: bool = False) -> Value:
    """The sum over `dims` divided by the number of elements that it combines."""
    return ctx.div(sum_of(ctx, x, dims, keepdims), count(x, dims))


def _upcast(ctx: LoweringContext, x: Value) -> Value:
    """As the type that the result is accumulated in."""
    return ctx.cast(x, upcast_dtype(ctx.out.dtype))


def _shaped(ctx: LoweringContext, x: Value) -> Value:
    return ctx.downcast(ctx.b.reshape(x, ctx.out.shape))


def reduction(monoid: str) -> TorchRule:
    """The rule of a reduction of some dimensions with `monoid`, accumulated in at least f32."""

    def rule(ctx: LoweringContext, x: Value, dims: Dims = None, *_: Any) -> Value:
        return _shaped(ctx, ctx.b.reduce(_upcast(ctx, x), monoid, dims_of(x, dims)))

    return rule


def full_reduction(monoid: str) -> TorchRule:
    """The rule of a reduction of all dimensions with `monoid`."""
    return lambda ctx, x, *_: reduction(monoid)(ctx, x)


def _mean(ctx: LoweringContext, x: Value, dims: Dims = None, *_: Any) -> Value:
    return _shaped(ctx, mean_of(ctx, _upcast(ctx, x), dims_of(x, dims)))


def extreme(monoid: str) -> TorchRule:
    """The rule of a maximum or minimum, which need no wider type."""

    def rule(ctx: LoweringContext, x: Value, dims: Dims = None, *_: Any) -> Value:
        return _shaped(ctx, ctx.b.reduce(x, monoid, dims_of(x, dims)))

    return rule


def _truth(monoid: str) -> TorchRule:
    def rule(ctx: LoweringContext, x: Value, dims: Dims = None, *_: Any) -> Value:
        return _shaped(ctx, ctx.b.reduce(ctx.cast(x, BOOL), monoid, dims_of(x, dims)))

    return rule


def _arg(monoid: str) -> TorchRule:
    def rule(
        ctx: LoweringContext, x: Value, dim: int | None = None, keepdims: bool = False
    ) -> Value:
        if x.type.rank == 0:
            return ctx.b.scalar(0, I64)
        if dim is None:
            x, dim = ctx.b.reshape(x, (x.type.elements,)), 0
        _, place = extreme_with_index(ctx, x, dim % x.type.rank, monoid, I64)
        return ctx.b.reshape(place, ctx.out.shape)

    return rule


def _with_index(monoid: str) -> TorchRule:
    """`max(dim)`: the values, and where they are."""

    def rule(ctx: LoweringContext, x: Value, dim: int, *_: Any) -> tuple[Value, Value]:
        if x.type.rank == 0:
            return x, ctx.b.scalar(0, I64)
        value, place = extreme_with_index(ctx, x, dim % x.type.rank, monoid, I64)
        return ctx.b.reshape(value, ctx.out.shape), ctx.b.reshape(place, ctx.out.shape)

    return rule


def _amin_amax(
    ctx: LoweringContext, x: Value, dim: int | None = None, *_: Any
) -> tuple[Value, Value]:
    low, high = (ctx.b.reduce(x, m, dims_of(x, dim)) for m in ("minimum", "maximum"))
    return ctx.b.reshape(low, ctx.out.shape), ctx.b.reshape(high, ctx.out.shape)


def variance(
    ctx: LoweringContext, x: Value, dims: Sequence[int], correction: Number
) -> tuple[Value, Value]:
    """Variance (divided by count - correction) and mean over `dims`, which stay with size 1. Two
    passes, the second over squared deviations from the mean: E[x^2] - E[x]^2 would cancel."""
    mean = mean_of(ctx, x, dims, keepdims=True)
    centred = ctx.sub(x, mean)
    total = sum_of(ctx, ctx.mul(centred, centred), dims, keepdims=True)
    # torch divides by zero too where the correction leaves nothing.
    return ctx.div(total, _less(count(x, dims), correction)), mean


def _less(elements: Dim, correction: Number) -> Number | Size:
    """Raises Undecided where it depends on a symbol whether any are left."""
    if isinstance(elements, Size) and elements >= int(correction) == correction:
        return elements - int(correction)
    return max(0.0, number(elements) - correction)


def _variance(root: bool, with_mean: bool) -> TorchRule:
    """Of f32 in f64, as torch's kernels for the CPU: squares of 1e20 and of 1e-25 are beyond f32,
    and their root is not. It costs a tenth at most where rows come from memory."""

    def rule(
        ctx: LoweringContext, x: Value, dims: Dims = None, correction: Any = 1, *_: Any
    ) -> Any:
        correction = 1 if correction is None else float(correction)
        upcast = F64 if ctx.out.dtype is F32 else upcast_dtype(ctx.out.dtype)
        value, mean = variance(ctx, ctx.cast(x, upcast), dims_of(x, dims), correction)
        value = ctx.b.node("sqrt", value) if root else value
        if not with_mean:
            return _shaped(ctx, value)
        if all(x.type.shape[d] == 1 for d in dims_of(x, dims)):
            return _shaped(ctx, value), _shaped(ctx, mean)
        # torch goes on from a mean that is infinite, by differences to it.
        finite = ctx.b.node("is_finite", mean)
        return _shaped(ctx, value), _shaped(ctx, ctx.select(finite, mean, math.nan))

    return rule


def _norm(ctx: LoweringContext, x: Value, order: Number = 2, dims: Dims = None, *_: Any) -> Value:
    upcast, axes = _upcast(ctx, x), dims_of(x, dims)
    magnitude = ctx.b.node("abs", upcast)
    if order == 2:
        return _shaped(ctx, ctx.b.node("sqrt", sum_of(ctx, ctx.mul(upcast, upcast), axes)))
    if order == 1:
        return _shaped(ctx, sum_of(ctx, magnitude, axes))
    if order in (math.inf, -math.inf):
        monoid = "maximum" if order > 0 else "minimum"
        return _shaped(ctx, ctx.b.reduce(magnitude, monoid, axes))
    if order == 0:
        nonzero = ctx.cast(ctx.compare(upcast, 0, "NE"), upcast.type.dtype)
        return _shaped(ctx, sum_of(ctx, nonzero, axes))
    total = sum_of(ctx, ctx.op("power", magnitude, order), axes)
    return _shaped(ctx, ctx.op("power", total, 1 / order))


def _logsumexp(ctx: LoweringContext, x: Value, dims: Dims, keepdims: bool = False) -> Value:
    upcast, axes = _upcast(ctx, x), dims_of(x, dims)
    high = ctx.b.reduce(upcast, "maximum", axes, keepdims=True)
    # A row of -inf, or one with inf, must not become inf - inf.
    shift = ctx.select(ctx.b.node("is_finite", high), high, 0)
    total = sum_of(ctx, ctx.exp(ctx.sub(upcast, shift)), axes, keepdims=True)
    return _shaped(ctx, ctx.add(ctx.b.node("log", total), shift))


def _scan(monoid: str) -> TorchRule:
    def rule(ctx: LoweringContext, x: Value, dim: int, *_: Any) -> Value:
        upcast = _upcast(ctx, x)
        if x.type.rank == 0:
            return ctx.downcast(upcast)
        attrs = {"monoid": monoid, "dimension": dim % x.type.rank, "reverse": False}
        return ctx.downcast(ctx.b.node("cumulative", upcast, **attrs))

    return rule


def _scan_with_index(monoid: str) -> TorchRule:
    """`cummax`: the running extremes, and where they are; of equals the last."""

    def rule(ctx: LoweringContext, x: Value, dim: int) -> tuple[Value, ...]:
        if x.type.rank == 0:
            return x, ctx.b.scalar(0, I64)
        dim %= x.type.rank
        both = [x, ctx.b.iota(I64, x.type.shape, dim)]
        return ctx.b.operation("cumulative", both, monoid=monoid, dimension=dim, reverse=False)

    return rule


def _logcumsumexp(ctx: LoweringContext, x: Value, dim: int) -> Value:
    """The greatest so far and the sum of exponentials below it, running together."""
    upcast = _upcast(ctx, x)
    if x.type.rank == 0:
        return ctx.downcast(upcast)
    top, total = ctx.b.operation(
        "cumulative", [upcast, ctx.like(1, upcast)], monoid="online_softmax",
        dimension=dim % x.type.rank, reverse=False,
    )  # fmt: skip
    return ctx.downcast(ctx.add(ctx.b.node("log", total), top))


TABLE: dict[str, TorchRule] = {
    "sum": full_reduction("add"),
    "sum.dim_IntList": reduction("add"),
    "prod": full_reduction("multiply"),
    "prod.dim_int": reduction("multiply"),
    "mean": lambda ctx, x, *_: _mean(ctx, x),
    "mean.dim": _mean,
    "amax": extreme("maximum"),
    "amin": extreme("minimum"),
    "aminmax": _amin_amax,
    "max": extreme("maximum"),
    "min": extreme("minimum"),
    "max.dim": _with_index("argmax"),
    "min.dim": _with_index("argmin"),
    "argmax": _arg("argmax"),
    "argmin": _arg("argmin"),
    "any": _truth("or"),
    "all": _truth("and"),
    "var.correction": _variance(root=False, with_mean=False),
    "std.correction": _variance(root=True, with_mean=False),
    "var_mean.correction": _variance(root=False, with_mean=True),
    "std_mean.correction": _variance(root=True, with_mean=True),
    "linalg_vector_norm": _norm,
    "logsumexp": _logsumexp,
    "cumsum": _scan("add"),
    "cumprod": _scan("multiply"),
    "cummax": _scan_with_index("argmax_last"),
    "cummin": _scan_with_index("argmin_last"),
    "logcumsumexp": _logcumsumexp,
}
