"""A convolution as the torch call that vendor libraries have a kernel for.

Most are torch's `convolution`. With a dilated input it is a transposed convolution, and with a
kernel larger than its result it is a weight gradient: the libraries have kernels for both.
Otherwise the input is padded first; what torch does not convolve (integers, four spatial
dimensions) is a sum of products.
"""

from itertools import product
from math import prod
from typing import Any

import torch

from compiler_core.ir.convolution import Convolution, convolution_of, inverse
from compiler_core.ir.eval_torch.views import around, padded
from compiler_core.ir.graph import Operation
from compiler_core.ir.sizes import number
from compiler_core.ir.types import BOOL, DType


def convolution(o: Operation, x: Any, y: Any) -> Any:
    """The result for tensors of the operands' shapes."""
    v = convolution_of(o)
    result = canonical(v, o.types[0].dtype, x.permute(v.lhs_dims), y.permute(v.rhs_dims))
    return result.permute(inverse(v.out_dims))


def canonical(v: Convolution, dtype: DType, x: Any, w: Any) -> Any:
    """Convolves x[batch, groups * channels, *size] with w[groups * features, channels, *window] to
    [batch, groups * features, *out]; the tensors may have any strides."""
    if dtype is BOOL:
        return _sum_of_products(v, x.to(torch.int32), w.to(torch.int32)) != 0
    if not dtype.is_float or not 1 <= v.rank <= 3 or v.elements * v.terms == 0:
        return _sum_of_products(v, x, w)
    return _by_library(v, x, w)


def _by_library(v: Convolution, x: Any, w: Any) -> Any:
    if set(v.lhs_dilation) == {1} and _is_weight_gradient(v):
        return _weight_gradient(v, x, _turned(v, w, flipped=False))
    if set(v.strides) == {1} and max(v.lhs_dilation) > 1 and _is_transposed(v):
        return _transposed(v, x, _turned(v, w, flipped=True))
    edges, gaps = v.low, v.lhs_dilation
    if v.low != v.high or min(v.low) < 0 or max(gaps) > 1:
        x, edges = _padded(v, x), (0,) * v.rank
    w = _turned(v, w, flipped=False)
    none = (0,) * v.rank
    return torch.convolution(x, w, None, v.strides, edges, v.rhs_dilation, False, none, v.groups)


def _turned(v: Convolution, w: Any, *, flipped: bool) -> Any:
    """The kernel with its windows in the order that `convolution` expects, or `flipped`."""
    dims = [d + 2 for d, turned in enumerate(v.reversal) if turned is not flipped]
    return torch.flip(w, dims) if dims else w


def _padded(v: Convolution, x: Any) -> Any:
    if max(v.lhs_dilation) == 1:
        return around(x, v.low, v.high, 0)
    shape = (*map(number, (v.batch, v.groups * v.channels)), *v.size)
    gaps = [d - 1 for d in v.lhs_dilation]
    return padded(x, shape, (0, 0, *v.low), (0, 0, *v.high), (0, 0, *gaps), 0)


# -- the transposed convolution


def _is_transposed(v: Convolution) -> bool:
    """Whether the padding is one that torch's transposed convolution can express: as a crop of the
    full result."""
    more = (high - low for low, high in zip(v.low, v.high, strict=True))
    most = map(max, v.lhs_dilation, v.rhs_dilation)
    cut = (reach - 1 - low for reach, low in zip(v.reach, v.low, strict=True))
    return all(0 <= a < b for a, b in zip(more, most, strict=True)) and min(cut) >= 0


def _transposed(v: Convolution, x: Any, w: Any) -> Any:
    """The transposed convolution; the windows of `w` are flipped."""
    cut = [reach - 1 - low for reach, low in zip(v.reach, v.low, strict=True)]
    more = [high - low for low, high in zip(v.low, v.high, strict=True)]
    grouped = w.reshape(v.groups, v.features, v.channels, *v.window).transpose(1, 2)
    kernel = grouped.reshape(v.groups * v.channels, v.features, *v.window)
    return torch.convolution(
        x, kernel, None, v.lhs_dilation, cut, v.rhs_dilation, True, more, v.groups
    )


# -- the gradient of a weight: batch and channels have changed places


def _is_weight_gradient(v: Convolution) -> bool:
    """Whether the kernel's size is that of a gradient, and the padding that of a convolution."""
    if prod(v.window) <= prod(v.out) or min(v.low) < 0 or any(v.reversal):
        return False
    sides = zip(v.size, v.low, v.out, v.strides, v.rhs_dilation, v.window, strict=True)
    return all(
        (size + 2 * low - (out - 1) * apart - 1) // stride + 1 == window
        for size, low, out, apart, stride, window in sides
    )


def _weight_gradient(v: Convolution, x: Any, grad: Any) -> Any:
    grouped = x.reshape(v.batch, v.groups, v.channels, *v.size).transpose(0, 2)
    image = grouped.reshape(v.channels, v.groups * v.batch, *v.size)
    weight = x.new_empty((v.groups * v.features, v.batch, *v.out))
    gradients = torch.ops.aten.convolution_backward(
        grad.transpose(0, 1).contiguous(), image, weight, None, v.rhs_dilation, v.low, v.strides,
        False, (0,) * v.rank, v.groups, (False, True, False),
    )  # fmt: skip
    return gradients[1].transpose(0, 1)


# -- anything


def _sum_of_products(v: Convolution, x: Any, w: Any) -> Any:
    """A product over the channels for each position in the window, summed."""
    if v.elements == 0:  # more may be cropped than there is
        return x.new_zeros((v.batch, v.groups * v.features, *v.out))
    x = _padded(v, x) if v.rank else x
    x = x.reshape(v.batch, v.groups, v.channels, *v.padded)
    w = _turned(v, w, flipped=False).reshape(v.groups, v.features, v.channels, *v.window)
    total = x.new_zeros((v.batch, v.groups, v.features, *v.out))
    for place in product(*map(range, v.window)):
        sides = zip(place, v.out, v.strides, v.rhs_dilation, strict=True)
        at = [
            slice(i * apart, i * apart + (out - 1) * stride + 1 if out else i * apart, stride)
            for i, out, stride, apart in sides
        ]
        part = x[(slice(None), slice(None), slice(None), *at)]
        total = total + torch.einsum("bgc...,goc->bgo...", part, w[(..., *place)])
    return total.reshape(v.batch, v.groups * v.features, *v.out)
