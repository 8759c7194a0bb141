"""The CPU schedule of a generated convolution: direct, without a matrix of patches (im2col).

The image is copied once with padding and dilation (`packed`), split into phases by the strides, so
that the elements that one window position reads for neighbouring results are contiguous. A tile of
the result, some features by some positions, is kept in registers. Positions are numbered along the
rows of the copy: a tile continues in the next row, across the few positions that are no results.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Literal

from compiler_core.ir.convolution import Convolution, Sizes
from compiler_core.ir.sizes import Dim, hint

# The most features of a tile, and its f32 sums, for vectors of 512 bits.
FEATURES = 8
SUMS = 384
# The most bytes of images that all features read one after the other: half of a second-level cache.
KEPT_BYTES = 1024 * 1024
# The elements that a tile may read past the end of a copy.
SLACK = SUMS
# The most positions of a window, each of which may have an entry in a table of offsets.
_MOST_PLACES = 1024


@dataclass(frozen=True)
class Layout:
    """The image as tiles read it: for each channel, one plane for each of the `phases`."""

    sizes: Convolution

    @cached_property
    def phases(self) -> tuple[Sizes, ...]:
        """For each dimension, the remainders modulo the stride that occur among window
        positions."""
        every = zip(self.sizes.window, self.sizes.rhs_dilation, self.sizes.strides, strict=True)
        return tuple(
            tuple(sorted({k * apart % stride for k in range(window)}))
            for window, apart, stride in every
        )

    @cached_property
    def extents(self) -> Sizes:
        """The extents of a plane, which has every element that a result needs."""
        v = self.sizes
        return tuple(
            out + (reach - 1) // stride
            for out, reach, stride in zip(v.out, v.reach, v.strides, strict=True)
        )

    @cached_property
    def pitches(self) -> Sizes:
        """The distance between neighbours along each spatial dimension of a plane, in elements."""
        return tuple(prod(self.extents[d + 1 :]) for d in range(len(self.extents)))

    @cached_property
    def plane(self) -> int:
        """Elements of one plane."""
        return prod(self.extents)

    @cached_property
    def channel(self) -> int:
        """Elements of all planes of one channel."""
        return self.plane * prod(map(len, self.phases))

    @cached_property
    def length(self) -> int:
        """Positions from a plane's first result to its last."""
        return 1 + sum((n - 1) * p for n, p in zip(self.sizes.out, self.pitches, strict=True))

    @property
    def copied(self) -> Dim:
        """Elements of the copy of all images, with slack."""
        v = self.sizes
        return v.batch * v.groups * v.channels * self.channel + SLACK

    def offsets(self) -> Iterator[int]:
        """The offset at which each window position is read for the first result."""
        v = self.sizes
        for place in product(*map(range, v.window)):
            at = plane = 0
            sides = zip(place, v.rhs_dilation, v.strides, self.phases, self.pitches, strict=True)
            for k, apart, stride, phases, pitch in sides:
                at += k * apart // stride * pitch
                plane = plane * len(phases) + phases.index(k * apart % stride)
            yield plane * self.plane + at

    def reads_in_place(self, strides: Sequence[Dim]) -> bool:
        """Whether the image already has the layout of the copy; `strides` are those of its spatial
        dimensions."""
        v = self.sizes
        return (
            self.extents == v.size
            and self.channel == self.plane
            and not any((*v.low, *v.high))
            and set(v.lhs_dilation) <= {1}
            and all(n == 1 or a == b for n, a, b in zip(v.size, strides, self.pitches, strict=True))
        )


@dataclass(frozen=True, slots=True)
class DirectSchedule:
    """`packed`: the image is copied first. A tile has `features` by `places` sums for vectors of
    512 bits, and fewer for shorter ones. All features of some places follow each other, or where
    the `outer` loop is over features all places of some features, so that results are written as
    they lie in memory."""

    packed: bool
    threads: bool
    reason: str
    features: int = FEATURES
    places: int = SUMS // FEATURES
    outer: Literal["places", "features"] = "places"
    strategy: str = "direct"

    @property
    def parameters(self) -> Mapping[str, int | str]:
        given = {
            "threads": "all" if self.threads else 0,
            "packed": "yes" if self.packed else 0,
            "features": self.features,
            "places": self.places,
            "outer": self.outer if self.outer == "features" else 0,
        }
        return {name: value for name, value in given.items() if value}


def refusal(v: Convolution) -> str:
    """Why a convolution cannot be run this way; "" if it can."""
    if not 1 <= v.rank <= 3:
        return f"{v.rank} spatial dimensions, and loops are generated for 1 to 3"
    if not v.elements * v.terms:
        return "a size of the convolution is 0, so there is nothing to sum"
    if prod(v.window) > _MOST_PLACES:
        return f"windows of more than {_MOST_PLACES} places"
    if any(gap > 1 < stride for gap, stride in zip(v.lhs_dilation, v.strides, strict=True)):
        return "the image has gaps and the windows strides, which no generated loops combine"
    return ""


def tiles(v: Convolution) -> tuple[int, int]:
    """(features, positions) of a tile, for vectors of 512 bits."""
    blocks = -(-v.features // FEATURES)
    rows = -(-v.features // blocks)
    most = -(-Layout(v).length // 16) * 16
    return rows, min(SUMS // rows // 16 * 16, most)


def computed(v: Convolution) -> int:
    """Multiply-adds that the tiles execute, including those for positions that are no results."""
    rows, columns = tiles(v)
    length = Layout(v).length
    features = -(-v.features // rows) * rows
    return hint(v.batch * v.groups * features * -(-length // columns) * columns * v.terms)
