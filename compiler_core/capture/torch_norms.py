"""Softmax and the normalisations, decomposed to the IR that jax.nn's own definitions give."""

import math
from collections.abc import Sequence
from typing import Any

from compiler_core.capture.rules import Rule, widened
from compiler_core.capture.torch_pointwise import TorchRule
from compiler_core.capture.torch_reductions import mean_of, sum_of, variance
from compiler_core.ir.graph import Node


def _shifted(c: Rule, x: Node, dim: int) -> tuple[Node, Node, tuple[int, ...]]:
    """x - max(x), its exponential, and the dimension."""
    wide = c.cast(x, widened(x.type.dtype))
    axes = (dim % x.type.rank,) if x.type.rank else ()
    shifted = c.sub(wide, c.b.reduce(wide, "maximum", axes, keepdims=True))
    return shifted, c.exp(shifted), axes


def _softmax(c: Rule, x: Node, dim: int, *_: Any) -> Node:
    _shift, grown, axes = _shifted(c, x, dim)
    return c.narrow(c.div(grown, sum_of(c, grown, axes, keepdims=True)))


def _log_softmax(c: Rule, x: Node, dim: int, *_: Any) -> Node:
    shifted, grown, axes = _shifted(c, x, dim)
    return c.narrow(c.sub(shifted, c.b.node("log", sum_of(c, grown, axes, keepdims=True))))


def _safe_softmax(c: Rule, x: Node, dim: int, *_: Any) -> Node:
    """A row of -inf alone gives zeros: everything masked."""
    value = _softmax(c, x, dim)
    axes = (dim % x.type.rank,)
    masked = c.b.reduce(c.compare(x, -math.inf, "EQ"), "and", axes, keepdims=True)
    return c.select(c.b.broadcast(masked, value.type.shape), 0, value)


def _softmax_backward(c: Rule, grad: Node, y: Node, dim: int, *_: Any) -> Node:
    grad, y = c.wide(grad, y)
    axes = (dim % y.type.rank,)
    product = c.mul(grad, y)
    return c.narrow(c.sub(product, c.mul(y, sum_of(c, product, axes, keepdims=True))))


def _log_softmax_backward(c: Rule, grad: Node, y: Node, dim: int, *_: Any) -> Node:
    grad, y = c.wide(grad, y)
    total = sum_of(c, grad, (dim % y.type.rank,), keepdims=True)
    return c.narrow(c.sub(grad, c.mul(c.exp(y), total)))


def _scaled(c: Rule, x: Node, weight: Node | None, bias: Node | None, dims: Sequence[int]) -> Node:
    """x * weight + bias, where both lie along `dims` of x."""
    for op, operand in (("multiply", weight), ("add", bias)):
        if operand is not None:
            wide = c.cast(operand, x.type.dtype)
            shape = [x.type.shape[d] for d in dims]
            spread = c.b.broadcast_in_dim(c.b.reshape(wide, shape), x.type.shape, dims)
            x = c.b.node(op, x, spread)
    return x


def _normalised(c: Rule, x: Node, dims: Sequence[int], eps: float) -> tuple[Node, Node, Node]:
    """(x - mean) / sqrt(var + eps), the mean, and 1 / sqrt(var + eps)."""
    var, mean = variance(c, x, dims, 0)
    rstd = c.b.node("rsqrt", c.add(var, eps))
    return c.mul(c.sub(x, mean), rstd), mean, rstd


def _saved(c: Rule, *statistics: Node) -> list[Node]:
    """Mean and 1 / std as the operation's further results."""
    return [
        c.b.reshape(c.cast(s, t.dtype), t.shape)
        for s, t in zip(statistics, c.types[1:], strict=False)
    ]


def _layer_norm(
    c: Rule, x: Node, shape: Sequence[int], weight: Node | None, bias: Node | None, eps: float
) -> tuple[Node, ...]:
    (wide,) = c.wide(x)
    dims = tuple(range(x.type.rank - len(shape), x.type.rank))
    value, mean, rstd = _normalised(c, wide, dims, eps)
    return c.narrow(_scaled(c, value, weight, bias, dims)), *_saved(c, mean, rstd)


def _rms_norm(
    c: Rule, x: Node, shape: Sequence[int], weight: Node | None, eps: float | None
) -> tuple[Node, ...]:
    (wide,) = c.wide(x)
    dims = tuple(range(x.type.rank - len(shape), x.type.rank))
    # torch's default: the smallest step of the type that it computes in.
    eps = 2.0**-52 if eps is None and wide.type.dtype.bits == 64 else eps
    square = mean_of(c, c.mul(wide, wide), dims, keepdims=True)
    rstd = c.b.node("rsqrt", c.add(square, 2.0**-23 if eps is None else eps))
    value = _scaled(c, c.mul(wide, rstd), weight, None, dims)
    return c.narrow(value), *_saved(c, rstd)


def _group_norm(
    c: Rule,
    x: Node,
    weight: Node | None,
    bias: Node | None,
    n: int,
    channels: int,
    _inner: int,
    groups: int,
    eps: float,
) -> tuple[Node, ...]:
    (wide,) = c.wide(x)
    folded = (n, groups, channels // groups, *x.type.shape[2:])
    grouped = c.b.reshape(wide, folded)
    value, mean, rstd = _normalised(c, grouped, tuple(range(2, len(folded))), eps)
    value = _scaled(c, c.b.reshape(value, x.type.shape), weight, bias, (1,))
    return c.narrow(value), *_saved(c, mean, rstd)


def _channels(c: Rule, x: Node, statistic: Node) -> Node:
    """A value a channel, spread over x."""
    wide = c.cast(statistic, x.type.dtype)
    return c.b.broadcast_in_dim(wide, x.type.shape, (1,))


def batch_statistics(c: Rule, x: Node) -> tuple[Node, Node]:
    """Mean and variance a channel over a batch, and without correction."""
    axes = tuple(d for d in range(x.type.rank) if d != 1)
    var, mean = variance(c, x, axes, 0)
    size = (x.type.shape[1],)
    return c.b.reshape(mean, size), c.b.reshape(var, size)


def batch_norm(
    c: Rule,
    x: Node,
    weight: Node | None,
    bias: Node | None,
    mean: Node,
    var: Node,
    eps: float,
) -> Node:
    """Normalised with given statistics."""
    (wide,) = c.wide(x)
    rstd = c.b.node("rsqrt", c.add(c.cast(var, wide.type.dtype), eps))
    value = c.mul(c.sub(wide, _channels(c, wide, mean)), _channels(c, wide, rstd))
    return c.narrow(_scaled(c, value, weight, bias, (1,)))


def _batch_norm_eval(
    c: Rule,
    x: Node,
    weight: Node | None,
    bias: Node | None,
    mean: Node,
    var: Node,
    _momentum: float,
    eps: float,
) -> tuple[Node, ...]:
    value = batch_norm(c, x, weight, bias, mean, var, eps)
    # In evaluation there is nothing to save: the further results are empty.
    return value, *(c.b.scalar(0.0, t.dtype, t.shape) for t in c.types[1:])


def _batch_norm(  # noqa: PLR0913, PLR0917  # the operation's own arguments
    c: Rule,
    x: Node,
    weight: Node | None,
    bias: Node | None,
    mean: Node | None,
    var: Node | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Node, ...]:
    """In training, also the statistics that are saved, then the new running statistics."""
    if not training and mean is not None and var is not None:
        return _batch_norm_eval(c, x, weight, bias, mean, var, momentum, eps)
    (wide,) = c.wide(x)
    batch_mean, batch_var = batch_statistics(c, wide)
    value = batch_norm(c, x, weight, bias, batch_mean, batch_var, eps)
    saved = _saved(c, batch_mean, c.b.node("rsqrt", c.add(batch_var, eps)))
    saved += [c.b.scalar(0, t.dtype, t.shape) for t in c.types[3:]]
    if mean is None or var is None:
        return value, *saved
    count = x.type.numel // max(1, x.type.shape[1])
    unbiased = c.mul(batch_var, count / max(1, count - 1))
    return value, *saved, _moved(c, mean, batch_mean, momentum), _moved(c, var, unbiased, momentum)


def _moved(c: Rule, running: Node, batch: Node, momentum: float) -> Node:
    """A running statistic, moved towards that of the batch."""
    kept = c.mul(c.cast(running, batch.type.dtype), 1 - momentum)
    return c.cast(c.add(kept, c.mul(batch, momentum)), running.type.dtype)


def _batch_norm_without_statistics(
    c: Rule,
    x: Node,
    weight: Node | None,
    bias: Node | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Node, ...]:
    return _batch_norm(c, x, weight, bias, None, None, True, momentum, eps)


def _batch_norm_with_update(
    c: Rule,
    x: Node,
    weight: Node | None,
    bias: Node | None,
    mean: Node,
    var: Node,
    momentum: float,
    eps: float,
) -> tuple[Node, ...]:
    return _batch_norm(c, x, weight, bias, mean, var, True, momentum, eps)


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
    "_native_batch_norm_legit.no_stats": _batch_norm_without_statistics,
    "_native_batch_norm_legit_no_training": _batch_norm_eval,
    "_batch_norm_with_update": _batch_norm_with_update,
    "_batch_norm_no_update": _batch_norm_eval,
}
