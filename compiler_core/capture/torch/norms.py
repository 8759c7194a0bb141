"""Softmax and normalizations, lowered to the IR that jax.nn's definitions give."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from compiler_core.capture.lowering_context import LoweringContext, upcast_dtype
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.reductions import count, dims_of, mean_of, sum_of, variance
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim, Size


def _shifted(ctx: LoweringContext, x: Value, dim: int) -> tuple[Value, Value, tuple[int, ...]]:
    """x - max(x), its exponential, and the dimension."""
    upcast = ctx.cast(x, upcast_dtype(x.type.dtype))
    axes = (dim % x.type.rank,) if x.type.rank else ()
    shifted = ctx.sub(upcast, ctx.b.reduce(upcast, "maximum", axes, keepdims=True))
    return shifted, ctx.exp(shifted), axes


def _softmax(ctx: LoweringContext, x: Value, dim: int, *_: Any) -> Value:
    _shift, grown, axes = _shifted(ctx, x, dim)
    return ctx.downcast(ctx.div(grown, sum_of(ctx, grown, axes, keepdims=True)))


def _log_softmax(ctx: LoweringContext, x: Value, dim: int, *_: Any) -> Value:
    shifted, grown, axes = _shifted(ctx, x, dim)
    return ctx.downcast(
        ctx.sub(shifted, ctx.b.node("log", sum_of(ctx, grown, axes, keepdims=True)))
    )


def _safe_softmax(ctx: LoweringContext, x: Value, dim: int, *_: Any) -> Value:
    """A row of -inf alone gives zeros: everything masked."""
    value = _softmax(ctx, x, dim)
    axes = (dim % x.type.rank,)
    masked = ctx.b.reduce(ctx.compare(x, -math.inf, "EQ"), "and", axes, keepdims=True)
    return ctx.select(ctx.b.broadcast(masked, value.type.shape), 0, value)


def _softmax_backward(ctx: LoweringContext, grad: Value, y: Value, dim: int, *_: Any) -> Value:
    grad, y = ctx.upcast(grad, y)
    product = ctx.mul(grad, y)
    total = sum_of(ctx, product, dims_of(y, dim), keepdims=True)
    return ctx.downcast(ctx.sub(product, ctx.mul(y, total)))


def _log_softmax_backward(ctx: LoweringContext, grad: Value, y: Value, dim: int, *_: Any) -> Value:
    grad, y = ctx.upcast(grad, y)
    total = sum_of(ctx, grad, dims_of(y, dim), keepdims=True)
    return ctx.downcast(ctx.sub(grad, ctx.mul(ctx.exp(y), total)))


def _scaled(
    ctx: LoweringContext, x: Value, weight: Value | None, bias: Value | None, dims: Sequence[int]
) -> Value:
    """x * weight + bias, where both lie along `dims` of x."""
    for op, operand in (("multiply", weight), ("add", bias)):
        if operand is not None:
            upcast = ctx.cast(operand, x.type.dtype)
            shape = [x.type.shape[d] for d in dims]
            spread = ctx.b.broadcast_in_dim(ctx.b.reshape(upcast, shape), x.type.shape, dims)
            x = ctx.b.node(op, x, spread)
    return x


def _normalised(
    ctx: LoweringContext, x: Value, dims: Sequence[int], eps: float
) -> tuple[Value, Value, Value]:
    """(x - mean) / sqrt(var + eps), the mean, and 1 / sqrt(var + eps)."""
    var, mean = variance(ctx, x, dims, 0)
    rstd = ctx.b.node("rsqrt", ctx.add(var, eps))
    return ctx.mul(ctx.sub(x, mean), rstd), mean, rstd


def _saved(ctx: LoweringContext, *statistics: Value) -> list[Value]:
    """Mean and 1 / std as the operation's further results."""
    return [
        ctx.b.reshape(ctx.cast(s, t.dtype), t.shape)
        for s, t in zip(statistics, ctx.types[1:], strict=False)
    ]


def _layer_norm(
    ctx: LoweringContext,
    x: Value,
    shape: Sequence[int],
    weight: Value | None,
    bias: Value | None,
    eps: float,
) -> tuple[Value, ...]:
    (upcast,) = ctx.upcast(x)
    dims = tuple(range(x.type.rank - len(shape), x.type.rank))
    value, mean, rstd = _normalised(ctx, upcast, dims, eps)
    return ctx.downcast(_scaled(ctx, value, weight, bias, dims)), *_saved(ctx, mean, rstd)


def _rms_norm(
    ctx: LoweringContext, x: Value, shape: Sequence[int], weight: Value | None, eps: float | None
) -> tuple[Value, ...]:
    (upcast,) = ctx.upcast(x)
    dims = tuple(range(x.type.rank - len(shape), x.type.rank))
    # torch's default: the smallest step of the type that it computes in.
    eps = 2.0**-52 if eps is None and upcast.type.dtype.bits == 64 else eps
    square = mean_of(ctx, ctx.mul(upcast, upcast), dims, keepdims=True)
    rstd = ctx.b.node("rsqrt", ctx.add(square, 2.0**-23 if eps is None else eps))
    value = _scaled(ctx, ctx.mul(upcast, rstd), weight, None, dims)
    return ctx.downcast(value), *_saved(ctx, rstd)


def _group_norm(
    ctx: LoweringContext,
    x: Value,
    weight: Value | None,
    bias: Value | None,
    n: int,
    channels: int,
    _inner: int,
    groups: int,
    eps: float,
) -> tuple[Value, ...]:
    (upcast,) = ctx.upcast(x)
    by_group = (n, groups, channels // groups, *x.type.shape[2:])
    grouped = ctx.b.reshape(upcast, by_group)
    value, mean, rstd = _normalised(ctx, grouped, tuple(range(2, len(by_group))), eps)
    value = _scaled(ctx, ctx.b.reshape(value, x.type.shape), weight, bias, (1,))
    return ctx.downcast(value), *_saved(ctx, mean, rstd)


def _channels(ctx: LoweringContext, x: Value, statistic: Value) -> Value:
    """A value a channel, spread over x."""
    upcast = ctx.cast(statistic, x.type.dtype)
    return ctx.b.broadcast_in_dim(upcast, x.type.shape, (1,))


def batch_statistics(ctx: LoweringContext, x: Value) -> tuple[Value, Value]:
    """Mean and variance (divided by the count, without Bessel's correction) of each channel,
    dimension 1 of `x`."""
    axes = tuple(d for d in range(x.type.rank) if d != 1)
    var, mean = variance(ctx, x, axes, 0)
    size = (x.type.shape[1],)
    return ctx.b.reshape(mean, size), ctx.b.reshape(var, size)


def batch_norm(
    ctx: LoweringContext,
    x: Value,
    weight: Value | None,
    bias: Value | None,
    mean: Value,
    var: Value,
    eps: float,
) -> Value:
    """(x - mean) / sqrt(var + eps) * weight + bias with given statistics of each channel, dimension
    1 of `x`; weight 1 and bias 0 where None."""
    (upcast,) = ctx.upcast(x)
    rstd = ctx.b.node("rsqrt", ctx.add(ctx.cast(var, upcast.type.dtype), eps))
    value = ctx.mul(ctx.sub(upcast, _channels(ctx, upcast, mean)), _channels(ctx, upcast, rstd))
    return ctx.downcast(_scaled(ctx, value, weight, bias, (1,)))


def _batch_norm_eval(ctx: LoweringContext, *args: Any) -> tuple[Value, ...]:
    """With the running statistics; the momentum is for training."""
    x, weight, bias, mean, var, _momentum, eps = args
    value = batch_norm(ctx, x, weight, bias, mean, var, eps)
    # In evaluation there is nothing to save: the further results are empty.
    return value, *(ctx.b.scalar(0.0, t.dtype, t.shape) for t in ctx.types[1:])


def _batch_norm(  # noqa: PLR0913, PLR0917  # the operation's own arguments
    ctx: LoweringContext,
    x: Value,
    weight: Value | None,
    bias: Value | None,
    mean: Value | None,
    var: Value | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Value, ...]:
    """In training, also the statistics that are saved, then the new running statistics."""
    if not training and mean is not None and var is not None:
        return _batch_norm_eval(ctx, x, weight, bias, mean, var, momentum, eps)
    (upcast,) = ctx.upcast(x)
    batch_mean, batch_var = batch_statistics(ctx, upcast)
    value = batch_norm(ctx, x, weight, bias, batch_mean, batch_var, eps)
    saved = _saved(ctx, batch_mean, ctx.b.node("rsqrt", ctx.add(batch_var, eps)))
    saved += [ctx.b.scalar(0, t.dtype, t.shape) for t in ctx.types[3:]]
    if mean is None or var is None:
        return value, *saved
    unbiased = _unbiased(ctx, batch_var, count(x, [d for d in range(x.type.rank) if d != 1]))
    return (
        value,
        *saved,
        _moved(ctx, mean, batch_mean, momentum),
        _moved(ctx, var, unbiased, momentum),
    )


def _unbiased(ctx: LoweringContext, var: Value, elements: Dim) -> Value:
    """A variance of so many elements, of which one is no longer free."""
    if isinstance(elements, Size):
        return ctx.div(ctx.mul(var, elements), elements - 1)
    return ctx.mul(var, elements / max(1, elements - 1))


def _moved(ctx: LoweringContext, running: Value, batch: Value, momentum: float) -> Value:
    """A running statistic, moved towards that of the batch."""
    kept = ctx.mul(ctx.cast(running, batch.type.dtype), 1 - momentum)
    return ctx.cast(ctx.add(kept, ctx.mul(batch, momentum)), running.type.dtype)


def _batch_norm_functional(ctx: LoweringContext, *args: Any) -> tuple[Value, ...]:
    """The new running statistics are results like any other."""
    _, _, _, mean, var, training, *_ = args
    results = _batch_norm(replace(ctx, types=ctx.types[:3]), *args)
    return results if training else (*results, mean, var)


def _batch_norm_without_statistics(
    ctx: LoweringContext,
    x: Value,
    weight: Value | None,
    bias: Value | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Value, ...]:
    return _batch_norm(ctx, x, weight, bias, None, None, True, momentum, eps)


def _batch_norm_with_update(
    ctx: LoweringContext,
    x: Value,
    weight: Value | None,
    bias: Value | None,
    mean: Value,
    var: Value,
    momentum: float,
    eps: float,
) -> tuple[Value, ...]:
    return _batch_norm(ctx, x, weight, bias, mean, var, True, momentum, eps)


TABLE: dict[str, TorchRule] = {
    "_softmax": _softmax,
    "_log_softmax": _log_softmax,
    "_safe_softmax": _safe_softmax,
    "_softmax_backward_data": _softmax_backward,
    "_log_softmax_backward_data": _log_softmax_backward,
    "native_layer_norm": _layer_norm,
    "_fused_rms_norm": _rms_norm,
    "native_group_norm": _group_norm,
    "native_batch_norm": _batch_norm,
    "_native_batch_norm_legit": _batch_norm,
    "_native_batch_norm_legit_functional": _batch_norm_functional,
    "_native_batch_norm_legit.no_stats": _batch_norm_without_statistics,
    "_native_batch_norm_legit_no_training": _batch_norm_eval,
    "_batch_norm_with_update": _batch_norm_with_update,
    "_batch_norm_no_update": _batch_norm_eval,
}
