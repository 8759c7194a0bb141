"""ATen's pooling: reductions over windows, and their gradients."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from compiler_core.capture.lowering_context import LoweringContext, upcast_dtype
from compiler_core.capture.places import put_along
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim, divided, number, product
from compiler_core.ir.types import I32, I64, TensorType

Sizes = Sequence[int]


@dataclass(frozen=True)
class _Windows:
    """Windows over the last dimensions of `x`, `count` of them in each."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    size: tuple[Dim, ...]
    count: tuple[Dim, ...]

    @property
    def high(self) -> tuple[Dim, ...]:
        """The padding after the last element in each dimension, including what windows need beyond
        it where their count is rounded up."""
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


def _windows(rank: int, x: TensorType, out: TensorType, sizes: Sequence[Sizes]) -> _Windows:
    """`sizes`: kernel, stride, padding, dilation. torch's lists may have one number for all
    dimensions, no stride means the kernel's."""
    kernel, stride, padding, dilation = (
        tuple(each) * (rank if len(each) == 1 else 1) for each in sizes
    )
    size, count = (each.shape[-rank:] for each in (x, out))
    return _Windows(kernel, stride or kernel, padding, dilation, size, count)


def _max_pool(rank: int) -> TorchRule:
    def rule(
        ctx: LoweringContext, x: Value, kernel: Sizes, stride: Sizes = (), padding: Sizes = (0,),
        dilation: Sizes = (1,), *_: Any,
    ) -> tuple[Value, Value]:  # fmt: skip
        """The values, and where they are in their image; who does not ask for these has them
        not."""
        w = _windows(rank, x.type, ctx.out, (kernel, stride, padding, dilation))
        (values,) = w.reduce(ctx, "maximum", x)
        indexed = w.reduce(ctx, "argmax", x, _in_image(ctx, x, rank))
        return values, ctx.b.convert(indexed[1], I64)

    return rule


def _in_image(ctx: LoweringContext, x: Value, rank: int) -> Value:
    """For each element its place among those of its image, row by row."""
    first = x.type.rank - rank
    place = ctx.b.iota(I32, x.type.shape, first)
    for d in range(first + 1, x.type.rank):
        step = ctx.b.iota(I32, x.type.shape, d)
        place = ctx.add(ctx.mul(place, x.type.shape[d]), step)
    return place


def _max_pool_backward(rank: int) -> TorchRule:
    def rule(ctx: LoweringContext, grad: Value, x: Value, *sizes: Any) -> Value:
        """Each gradient is added where the maximum was."""
        places: Value = sizes[-1]
        outer, image = ctx.out.shape[:-rank], product(ctx.out.shape[-rank:])
        zeros = ctx.b.scalar(0.0, upcast_dtype(ctx.out.dtype), ctx.out.shape)
        flat = (*outer, product(grad.type.shape[-rank:]))
        updates = ctx.b.reshape(ctx.cast(grad, zeros.type.dtype), flat)
        into = ctx.b.reshape(zeros, (*outer, image))
        at = ctx.b.reshape(places, flat)
        result = put_along(ctx.b, into, len(outer), at, updates, "add", "mask")
        return ctx.downcast(ctx.b.reshape(result, ctx.out.shape))

    return rule


def _avg_pool(rank: int) -> TorchRule:
    def rule(
        ctx: LoweringContext, x: Value, kernel: Sizes, stride: Sizes = (), padding: Sizes = (0,),
        ceil_mode: bool = False, with_padding: bool = True, divisor: int | None = None,
    ) -> Value | None:  # fmt: skip
        if not x.type.dtype.is_float:
            return None
        w = _windows(rank, x.type, ctx.out, (kernel, stride, padding, (1,)))
        (total,) = w.reduce(ctx, "add", ctx.cast(x, upcast_dtype(ctx.out.dtype)))
        return ctx.downcast(_mean(ctx, w, total, with_padding, divisor))

    return rule


def _mean(
    ctx: LoweringContext, w: _Windows, total: Value, with_padding: bool, divisor: int | None
) -> Value:
    """`total`, for each window, divided by the elements that the window has."""
    whole = w.high == w.padding and (with_padding or not any(w.padding))
    if divisor is not None or whole:
        return ctx.div(total, float(divisor or prod(w.kernel)))
    return ctx.div(total, _counts(ctx, w, total, with_padding))


def _counts(ctx: LoweringContext, w: _Windows, like: Value, with_padding: bool) -> Value:
    """How many elements of an image each window has; of one with its padding, but not of what
    rounding up lets windows reach beyond that."""
    size, low, high = w.size, w.padding, w.high
    if with_padding:
        size = tuple(n + 2 * p for n, p in zip(size, low, strict=True))
        low, high = (0,) * len(low), tuple(h - p for h, p in zip(high, low, strict=True))
    ones = ctx.b.scalar(1.0, like.type.dtype, size)
    one = (1,) * len(size)
    (counts,) = ctx.b.operation(
        "reduce_window", [ones], monoid="add", window=w.kernel, strides=w.strides,
        base_dilation=one, window_dilation=one, low=low, high=high,
    )  # fmt: skip
    return ctx.b.broadcast(counts, like.type.shape)


def _avg_pool_backward(rank: int) -> TorchRule:
    def rule(ctx: LoweringContext, grad: Value, x: Value, *sizes: Any) -> Value:
        kernel, stride, padding, _, with_padding, divisor = sizes
        w = _windows(rank, x.type, grad.type, (kernel, stride, padding, (1,)))
        upcast = ctx.cast(grad, upcast_dtype(ctx.out.dtype))
        return ctx.downcast(_spread(ctx, w, _mean(ctx, w, upcast, with_padding, divisor)))

    return rule


def _spread(ctx: LoweringContext, w: _Windows, shares: Value) -> Value:
    """For each element the sum over the windows that have it: a window over the windows' shares,
    which the strides keep apart."""
    rest = shares.type.rank - len(w.kernel)
    ones, zeros = (1,) * rest, (0,) * rest
    low = tuple(k - 1 - p for k, p in zip(w.kernel, w.padding, strict=True))
    apart = [(count - 1) * stride + 1 for count, stride in zip(w.count, w.strides, strict=True)]
    every = zip(w.size, w.kernel, low, apart, strict=True)
    high = tuple(size + kernel - 1 - before - width for size, kernel, before, width in every)
    (result,) = ctx.b.operation(
        "reduce_window", [shares], monoid="add", window=(*ones, *w.kernel),
        strides=(1,) * shares.type.rank, base_dilation=(*ones, *w.strides),
        window_dilation=(1,) * shares.type.rank, low=(*zeros, *low), high=(*zeros, *high),
    )  # fmt: skip
    return result


def _adaptive_backward(ctx: LoweringContext, grad: Value, x: Value) -> Value | None:
    """Of windows that are equal: those of an average pooling."""
    size, count = (each.type.shape[-2:] for each in (x, grad))
    found = [divided(n, m) for n, m in zip(size, count, strict=True)]
    if any(n is None for n in found):
        return None
    kernel = tuple(number(n, "the windows of a pooling") for n in found if n is not None)
    w = _windows(2, x.type, grad.type, (kernel, kernel, (0,), (1,)))
    upcast = ctx.cast(grad, upcast_dtype(ctx.out.dtype))
    return ctx.downcast(_spread(ctx, w, ctx.div(upcast, float(prod(kernel)))))


TABLE: dict[str, TorchRule] = {
    "max_pool2d_with_indices": _max_pool(2),
    "max_pool2d_with_indices_backward": _max_pool_backward(2),
    "max_pool3d_with_indices": _max_pool(3),
    "max_pool3d_with_indices_backward": _max_pool_backward(3),
    "avg_pool2d": _avg_pool(2),
    "avg_pool2d_backward": _avg_pool_backward(2),
    "avg_pool3d": _avg_pool(3),
    "avg_pool3d_backward": _avg_pool_backward(3),
    "_adaptive_avg_pool2d_backward": _adaptive_backward,
}
