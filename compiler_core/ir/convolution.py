"""Sizes and padding of a convolution, whatever layout its dimension numbers give its operands.

    out[b, g*O + o, *y] = sum over c, *k of
        lhs[b, g*C + c, *(y * stride + k * rhs_dilation - low) / lhs_dilation] * rhs[g*O + o, c, *k]

Elements outside of the input, and the gaps between its elements where lhs_dilation > 1, count as
zeros.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from compiler_core.ir.graph import Operation
from compiler_core.ir.sizes import Dim, number

Sizes = tuple[int, ...]
# The sizes of a convolution that may not be symbolic, in the words of a refusal.
FIXED = "the image, the window and the features of a convolution"


@dataclass(frozen=True)
class Convolution:
    """Sizes of one convolution. `channels` and `features` are the input and output channels of one
    of the `groups`. The other fields have an entry for each spatial dimension: `size` of the input,
    `window` of the kernel, `out` of the result. The batch may be a symbol's, and so may the
    channels: in the gradient of a weight these are the batch."""

    batch: Dim
    groups: int
    channels: Dim
    features: int
    size: Sizes
    window: Sizes
    out: Sizes
    strides: Sizes
    low: Sizes
    high: Sizes
    lhs_dilation: Sizes
    rhs_dilation: Sizes
    reversal: tuple[bool, ...]
    lhs_dims: Sizes
    rhs_dims: Sizes
    out_dims: Sizes

    @property
    def rank(self) -> int:
        """The number of spatial dimensions."""
        return len(self.window)

    @property
    def is_depthwise(self) -> bool:
        """Whether each channel is convolved by itself, so that nothing is summed over channels."""
        return self.channels == 1 and self.groups > 1

    @property
    def reads_no_zeros(self) -> bool:
        """Whether zeros of the padding, and in gaps of a dilated image, are left out of the sum
        rather than multiplied by weights. The difference shows where a weight is infinite or NaN.
        torch and XLA leave them out of a transposed convolution and of one over a dilated image; of
        others, some of their kernels multiply them."""
        return any(self.reversal) or any(gap > 1 for gap in self.lhs_dilation)

    @property
    def terms(self) -> Dim:
        """The number of products summed into one output element."""
        return self.channels * prod(self.window)

    @property
    def elements(self) -> Dim:
        """The number of output elements."""
        return self.batch * self.groups * self.features * prod(self.out)

    @cached_property
    def padded(self) -> Sizes:
        """The input's spatial sizes with dilation and padding."""
        sides = zip(self.size, self.lhs_dilation, self.low, self.high, strict=True)
        spread = (((max(n, 1) - 1) * gap + min(n, 1), a + b) for n, gap, a, b in sides)
        return tuple(max(0, size + edges) for size, edges in spread)

    @cached_property
    def reach(self) -> Sizes:
        """The extent of a dilated window along each spatial dimension."""
        return tuple(
            (window - 1) * dilation + 1
            for window, dilation in zip(self.window, self.rhs_dilation, strict=True)
        )


def convolution_of(o: Operation) -> Convolution:
    """The sizes of a `convolution` operation. Raises Undecided if the image, the window or the
    number of features has a symbolic size."""
    (lhs, rhs), dims = (x.type.shape for x in o.operands), _numbers(o, "lhs_dims")
    batch, _, *size = (lhs[d] for d in dims)
    features, channels, *window = (rhs[d] for d in o["rhs_dims"])
    out = (o.types[0].shape[d] for d in o["out_dims"][2:])
    return Convolution(
        batch, o["groups"], channels, _known(features) // o["groups"],
        tuple(map(_known, size)), tuple(map(_known, window)), tuple(map(_known, out)),
        _numbers(o, "strides"), _numbers(o, "low"), _numbers(o, "high"),
        _numbers(o, "lhs_dilation"), _numbers(o, "rhs_dilation"), tuple(o["window_reversal"]),
        dims, _numbers(o, "rhs_dims"), _numbers(o, "out_dims"),
    )  # fmt: skip


def _known(size: Dim) -> int:
    return number(size, FIXED)


def _numbers(o: Operation, name: str) -> Sizes:
    return tuple(o[name])


def inverse(permutation: Sequence[int]) -> Sizes:
    """The inverse of a permutation."""
    return tuple(permutation.index(i) for i in range(len(permutation)))


def out_size(attrs: Mapping[str, Any], d: int, size: int, window: int) -> int:
    """The result's size along spatial dimension `d`."""
    spread = (size - 1) * attrs["lhs_dilation"][d] + 1 if size else 0
    padded = attrs["low"][d] + spread + attrs["high"][d]
    reach = (window - 1) * attrs["rhs_dilation"][d] + 1 if window else 0
    return (padded - reach) // attrs["strides"][d] + 1 if padded >= reach else 0
