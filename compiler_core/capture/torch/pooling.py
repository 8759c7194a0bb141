"""ATen's pooling: reductions over windows, and their gradients."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from compiler_core.capture.lowering_context import LoweringContext, upcast_dtype
from compiler_core.capture.places import put_along
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.ir.graph import Value
from compiler_core.ir.types import I64, TensorType

Sizes = Sequence[int]


@dataclass(frozen=True)
class _Windows:
    """Windows over the last dimensions of `x`, `count` of them in each."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    size: tuple[int, ...]
    count: tuple[int, ...]

    @property
    def high(self) -> tuple[int, ...]:
        """The padding behind, with what rounding up lets windows reach beyond it."""
        every = zip(
            self.kernel, self.strides, self.padding, self.dilation, self.size, self.count,
            strict=True,
        )  # fmt: skip
        return tuple(
            max(pad, (count - 1) * stride + (kernel - 1) * dilation + 1 - size - pad)
            for kernel, stride, pad, dilation, size, count in every
        )

    def reduce(self, ctx: LoweringContext, monoid: str, *xs: Value) -> tuple[Value, ...]:
        rest = xs[0].type.rank - len(self.kernel)
        ones, zeros = (1,) * rest, (0,) * rest
        return ctx.b.operation(
            "reduce_window", xs, monoid=monoid, window=(*ones, *self.kernel),
            strides=(*ones, *self.strides), base_dilation=(1,) * xs[0].type.rank,
            window_dilation=(*ones, *self.dilation), low=(*zeros, *self.padding),
            high=(*zeros, *self.high),
        )  # fmt: skip


def _windows(
    x: TensorType, out: TensorType, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> _Windows:
    """torch's lists may have one number for all dimensions, no stride means the kernel's."""
    rank = 2

    def every(sizes: Sizes) -> tuple[int, ...]:
        return tuple(sizes) * (rank if len(sizes) == 1 else 1)

    return _Windows(
        every(kernel), every(stride or kernel), every(padding), every(dilation),
        x.sizes[-rank:], out.sizes[-rank:],
    )  # fmt: skip


def _max_pool(
    ctx: LoweringContext, x: Value, kernel: Sizes, stride: Sizes = (), padding: Sizes = (0,),
    dilation: Sizes = (1,), *_: Any,
) -> tuple[Value, Value]:  # fmt: skip
    """The values, and where they are in their plane; who does not ask for these has them not."""
    w = _windows(x.type, ctx.out, kernel, stride, padding, dilation)
    (values,) = w.reduce(ctx, "maximum", x)
    indexed = w.reduce(ctx, "argmax", x, _in_plane(ctx, x))
    return values, indexed[1]


def _in_plane(ctx: LoweringContext, x: Value) -> Value:
    """For each element its place among those of its image, row by row."""
    rank = x.type.rank
    rows, columns = (ctx.b.iota(I64, x.type.shape, d) for d in (rank - 2, rank - 1))
    return ctx.add(ctx.mul(rows, x.type.sizes[-1]), columns)


def _max_pool_backward(ctx: LoweringContext, grad: Value, x: Value, *sizes: Any) -> Value:
    """Each gradient is added where the maximum was."""
    places: Value = sizes[-1]
    outer, plane = ctx.out.sizes[:-2], prod(ctx.out.sizes[-2:])
    zeros = ctx.b.scalar(0.0, upcast_dtype(ctx.out.dtype), ctx.out.shape)
    flat = (*outer, prod(grad.type.sizes[-2:]))
    updates = ctx.b.reshape(ctx.cast(grad, zeros.type.dtype), flat)
    into = ctx.b.reshape(zeros, (*outer, plane))
    result = put_along(ctx.b, into, len(outer), ctx.b.reshape(places, flat), updates, "add", "mask")
    return ctx.downcast(ctx.b.reshape(result, ctx.out.shape))


def _avg_pool(
    ctx: LoweringContext, x: Value, kernel: Sizes, stride: Sizes = (), padding: Sizes = (0,),
    ceil_mode: bool = False, with_padding: bool = True, divisor: int | None = None,
) -> Value | None:  # fmt: skip
    if (ceil_mode and divisor is None) or not x.type.dtype.is_float:
        return None
    w = _windows(x.type, ctx.out, kernel, stride, padding, (1,))
    (total,) = w.reduce(ctx, "add", ctx.cast(x, upcast_dtype(ctx.out.dtype)))
    if divisor is not None or with_padding or not any(w.padding):
        return ctx.downcast(ctx.div(total, float(divisor or prod(w.kernel))))
    return ctx.downcast(ctx.div(total, _counts(ctx, w, total)))


def _counts(ctx: LoweringContext, w: _Windows, like: Value) -> Value:
    """How many elements of an image each window has."""
    ones = ctx.b.scalar(1.0, like.type.dtype, w.size)
    (counts,) = w.reduce(ctx, "add", ones)
    return ctx.b.broadcast(counts, like.type.shape)


def _avg_pool_backward(ctx: LoweringContext, grad: Value, x: Value, *sizes: Any) -> Value | None:
    """An element's gradient is the sum over the windows that have it: a window over the
    gradients, spread apart by the strides."""
    kernel, stride, padding, ceil_mode, with_padding, divisor = sizes
    if ceil_mode:
        return None
    w = _windows(x.type, grad.type, kernel, stride, padding, (1,))
    upcast = ctx.cast(grad, upcast_dtype(ctx.out.dtype))
    if divisor is not None or with_padding or not any(w.padding):
        shares = ctx.div(upcast, float(divisor or prod(w.kernel)))
    else:
        shares = ctx.div(upcast, _counts(ctx, w, upcast))
    rest = x.type.rank - 2
    ones, zeros = (1,) * rest, (0,) * rest
    low = tuple(k - 1 - p for k, p in zip(w.kernel, w.padding, strict=True))
    spread = [(count - 1) * stride + 1 for count, stride in zip(w.count, w.strides, strict=True)]
    every = zip(w.size, w.kernel, low, spread, strict=True)
    high = tuple(size + kernel - 1 - before - spread for size, kernel, before, spread in every)
    (result,) = ctx.b.operation(
        "reduce_window", [shares], monoid="add", window=(*ones, *w.kernel),
        strides=(1,) * x.type.rank, base_dilation=(*ones, *w.strides),
        window_dilation=(1,) * x.type.rank, low=(*zeros, *low), high=(*zeros, *high),
    )  # fmt: skip
    return ctx.downcast(result)


TABLE: dict[str, TorchRule] = {
    "max_pool2d_with_indices": _max_pool,
    "max_pool2d_with_indices_backward": _max_pool_backward,
    "avg_pool2d": _avg_pool,
    "avg_pool2d_backward": _avg_pool_backward,
}
