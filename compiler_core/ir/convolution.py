"""A convolution's dimension numbers, read: its sizes whichever way its operands lie.

    out[b, g*O + o, *y] = sum over c, *k of
        lhs[b, g*C + c, *(y * stride + k * rhs_dilation - low) / lhs_dilation] * rhs[g*O + o, c, *k]

where elements beside the input, and between its elements where these are dilated, are zeros.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from compiler_core.ir.graph import Operation

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Convolution:
    """`channels` and `features`: of the input and of the result, in one of the `groups`. The other
    numbers have an entry for each spatial dimension: `size` of the input, `window` of the kernel,
    `out` of the result."""

    batch: int
    groups: int
    channels: int
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
        """Spatial dimensions."""
        return len(self.window)

    @property
    def is_depthwise(self) -> bool:
        """Whether each channel has windows of its own, and nothing is summed over channels."""
        return self.channels == 1 and self.groups > 1

    @property
    def is_pointwise(self) -> bool:
        """Whether each element of the result is made of the channels at its own place alone."""
        return (
            prod(self.window) == 1 and self.out == self.size and not any((*self.low, *self.high))
        ) and set(self.strides + self.lhs_dilation) <= {1}

    @property
    def terms(self) -> int:
        """Products that are summed to one element."""
        return self.channels * prod(self.window)

    @property
    def elements(self) -> int:
        """Of the result."""
        return self.batch * self.groups * self.features * prod(self.out)

    @cached_property
    def padded(self) -> Sizes:
        """The input's spatial sizes with gaps and edges."""
        sides = zip(self.size, self.lhs_dilation, self.low, self.high, strict=True)
        return tuple((max(size, 1) - 1) * gap + min(size, 1) + a + b for size, gap, a, b in sides)

    @cached_property
    def reach(self) -> Sizes:
        """How far a window reaches along each spatial dimension."""
        return tuple(
            (window - 1) * dilation + 1
            for window, dilation in zip(self.window, self.rhs_dilation, strict=True)
        )


def convolution_of(o: Operation) -> Convolution:
    (lhs, rhs), dims = (x.type.sizes for x in o.operands), _numbers(o, "lhs_dims")
    batch, _, *size = (lhs[d] for d in dims)
    features, channels, *window = (rhs[d] for d in o["rhs_dims"])
    out = (o.types[0].sizes[d] for d in o["out_dims"][2:])
    return Convolution(
        batch, o["groups"], channels, features // o["groups"], tuple(size), tuple(window),
        tuple(out), _numbers(o, "strides"), _numbers(o, "low"), _numbers(o, "high"),
        _numbers(o, "lhs_dilation"), _numbers(o, "rhs_dilation"), tuple(o["window_reversal"]),
        dims, _numbers(o, "rhs_dims"), _numbers(o, "out_dims"),
    )  # fmt: skip


def _numbers(o: Operation, name: str) -> Sizes:
    return tuple(o[name])


def inverse(permutation: Sequence[int]) -> Sizes:
    """Where each number stands: the permutation that undoes it."""
    return tuple(permutation.index(i) for i in range(len(permutation)))


def out_size(attrs: Mapping[str, Any], d: int, size: int, window: int) -> int:
    """The result's size along spatial dimension `d`."""
    spread = (size - 1) * attrs["lhs_dilation"][d] + 1 if size else 0
    padded = attrs["low"][d] + spread + attrs["high"][d]
    reach = (window - 1) * attrs["rhs_dilation"][d] + 1 if window else 0
    return (padded - reach) // attrs["strides"][d] + 1 if padded >= reach else 0
