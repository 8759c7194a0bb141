"""ATen's convolutions and their gradients, each of which is a convolution too (Dumoulin and Visin,
"A guide to convolution arithmetic for deep learning", 2016): the input's gradient convolves the
output gradient, dilated by the strides, with the weight; the weight's convolves the input with the
output gradient."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compiler_core.capture.lowering_context import LoweringContext, upcast_dtype
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.ir.convolution import FIXED
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim, number

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class _Numbers:
    """Those of a forward convolution, one for each spatial dimension."""

    stride: Sizes
    padding: Sizes
    dilation: Sizes
    groups: int

    @property
    def rank(self) -> int:
        return len(self.stride)


def _numbers(weight: Value, given: Sequence[Any]) -> _Numbers:
    """`given`: stride, padding, dilation, transposed, output padding, groups. torch's lists may
    have one number for all dimensions."""
    rank = weight.type.rank - 2
    stride, padding, dilation = (tuple(x) * (rank if len(x) == 1 else 1) for x in given[:3])
    return _Numbers(stride, padding, dilation, given[5])


def _spatial(x: Value) -> Sizes:
    return _known(x.type.shape[2:])


def _known(sizes: Sequence[Dim]) -> Sizes:
    return tuple(number(size, FIXED) for size in sizes)


# Batch and features have changed places.
def _swapped(x: Value) -> Sizes:
    return (1, 0, *range(2, x.type.rank))


def _forward(ctx: LoweringContext, x: Value, w: Value, n: _Numbers, high: Sizes) -> Value:
    """x[b, g*C, ...] and w[g*O, C, ...]."""
    return ctx.b.convolution(
        x, w, groups=n.groups, strides=n.stride, rhs_dilation=n.dilation, low=n.padding, high=high
    )


def _spread(ctx: LoweringContext, x: Value, w: Value, n: _Numbers, size: Sequence[int]) -> Value:
    """The transposed convolution of x[b, g*O, ...] by w[g*O, C, ...], `size` large: what the
    forward one did to each of its inputs, backwards."""
    groups, channels = n.groups, w.type.shape[1]
    window = _spatial(w)
    kernel, dims = w, _swapped(w)
    if groups > 1:
        features = w.type.shape[0] // groups
        apart = ctx.b.reshape(w, (groups, features, channels, *window))
        turned = ctx.b.transpose(apart, (0, 2, 1, *range(3, 3 + n.rank)))
        kernel = ctx.b.reshape(turned, (groups * channels, features, *window))
        dims = tuple(range(w.type.rank))
    reach = [(k - 1) * d for k, d in zip(window, n.dilation, strict=True)]
    low = [r - p for r, p in zip(reach, n.padding, strict=True)]
    sides = zip(size, _spatial(x), n.stride, reach, low, strict=True)
    high = [out + r - 1 - (count - 1) * stride - a for out, count, stride, r, a in sides]
    return ctx.b.convolution(
        x, kernel, groups=groups, lhs_dilation=n.stride, rhs_dilation=n.dilation, low=low,
        high=high, window_reversal=(True,) * n.rank, rhs_dims=dims,
    )  # fmt: skip


def _weight(ctx: LoweringContext, x: Value, grad: Value, n: _Numbers, window: Sizes) -> Value:
    """The gradient of w[g*O, C, *window] in the convolution of x[b, g*C, ...], whose result has
    the gradient grad[b, g*O, ...]: summed over the batch and over all places."""
    image, batch = x, x.type.shape[0]
    if n.groups > 1:
        channels = x.type.shape[1] // n.groups
        apart = ctx.b.reshape(x, (batch, n.groups, channels, *_spatial(x)))
        turned = ctx.b.transpose(apart, (1, 0, 2, *range(3, 3 + n.rank)))
        image = ctx.b.reshape(turned, (n.groups * batch, channels, *_spatial(x)))
    every = zip(_spatial(x), _spatial(grad), window, n.stride, n.padding, n.dilation, strict=True)
    high = [
        (k - 1) * dilation + (out - 1) * stride + 1 - size - low
        for size, out, k, stride, low, dilation in every
    ]
    return ctx.b.convolution(
        image, grad, groups=n.groups, strides=n.dilation, rhs_dilation=n.stride, low=n.padding,
        high=high, lhs_dims=_swapped(x), rhs_dims=_swapped(grad), out_dims=_swapped(x),
    )  # fmt: skip


# -- the rules


def _convolution(
    ctx: LoweringContext, x: Value, w: Value, bias: Value | None, *given: Any
) -> Value:
    if 0 in x.type.shape:  # with no channels torch gives the result no features
        return ctx.cast(0, ctx.out.dtype, ctx.out.shape)
    n, transposed = _numbers(w, given), given[3]
    if transposed:
        result = _spread(ctx, x, w, n, _known(ctx.out.shape[2:]))
    else:
        result = _forward(ctx, x, w, n, n.padding)
    if bias is None:
        return result
    return ctx.add(result, ctx.b.broadcast_in_dim(bias, result.type.shape, (1,)))


def _backward(
    ctx: LoweringContext, grad: Value, x: Value, w: Value, bias: Any, *given: Any
) -> list[Value]:
    """Of the input, the weight and the bias, those that are wanted."""
    if 0 in grad.type.shape:
        return [ctx.cast(0, t.dtype, t.shape) for t in ctx.types]
    n, transposed, wanted = _numbers(w, given), given[3], given[6]
    window = _spatial(w)
    gradients = []
    if wanted[0]:
        gradients.append(_of_input(ctx, grad, x, w, n, transposed=transposed))
    if wanted[1]:
        image, by = (grad, x) if transposed else (x, grad)
        gradients.append(_weight(ctx, image, by, n, window))
    if wanted[2]:
        dims = (0, *range(2, grad.type.rank))
        total = ctx.b.reduce(ctx.cast(grad, upcast_dtype(grad.type.dtype)), "add", dims)
        gradients.append(ctx.cast(total, grad.type.dtype))
    return gradients


def _of_input(
    ctx: LoweringContext, grad: Value, x: Value, w: Value, n: _Numbers, *, transposed: bool
) -> Value:
    size = _spatial(x)
    if not transposed:
        return _spread(ctx, grad, w, n, size)
    every = zip(size, _spatial(grad), _spatial(w), n.stride, n.dilation, n.padding, strict=True)
    high = tuple(
        (count - 1) * stride + (k - 1) * dilation + 1 - out - low
        for count, out, k, stride, dilation, low in every
    )
    return _forward(ctx, grad, w, n, high)


TABLE: dict[str, TorchRule] = {
    "convolution": _convolution,
    "_convolution": _convolution,
    "convolution_backward": _backward,
}
