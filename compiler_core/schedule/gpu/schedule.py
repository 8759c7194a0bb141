"""What one launch on a GPU is: block sizes, warps, and how a program visits its points."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Literal, get_args

from compiler_core.ir.sizes import Dim, hint, product
from compiler_core.kernel.kernel import Axis, Kernel
from compiler_core.schedule.choice import as_asked

# How a program visits its points. flat: a block of points. tiled: a square of points, for accesses
# that are contiguous along different axes. persistent: the reduce axes fit in one block, so that
# each element is loaded once. looped: the reduce axes are walked block by block, once a phase.
Loop = Literal["flat", "tiled", "persistent", "looped"]
# How a kernel was made from a step that is not run as its own kernel: "split" into several launches
# that reduce parts; a scatter in one of two forms; a matrix product as a "reduction", or the sum
# over the parts of a "split k"; a convolution as a reduction over its "windows".
Transformation = Literal["split", "atomic", "by rows", "reduction", "split k", "windows"]
SPLIT_K: Transformation = "split k"
REDUCTION: Transformation = "reduction"
WINDOWS: Transformation = "windows"
STRATEGIES = frozenset({*get_args(Loop), *get_args(Transformation)})

# For each axis of a grid: the points to be covered, and those that one program covers.
Cover = tuple[tuple[Dim, int], tuple[Dim, int], tuple[Dim, int]]


@dataclass(frozen=True, slots=True)
class GpuSchedule:
    """One launch. A program (Triton's term for a block) covers `block_p` points of the parallel
    axes and `block_r` of the reduce axes at a time, both powers of two; in a tiled loop, `block_p`
    of axis `square[0]` and `block_r` of axis `square[1]`. `transformation`: None if the kernel is
    the step's own."""

    kernel: Kernel
    loop: Loop
    block_p: int
    block_r: int
    num_warps: int
    reason: str
    square: tuple[Axis, Axis] | None = None
    transformation: Transformation | None = None

    @property
    def strategy(self) -> str:
        return self.transformation or self.loop

    @property
    def cover(self) -> Cover:
        if self.square is None:
            return ((product(a.extent for a in self.kernel.parallel), self.block_p), (1, 1), (1, 1))
        down, across = self.square
        rest = product(a.extent for a in self.kernel.parallel if a not in self.square)
        return ((across.extent, self.block_r), (down.extent, self.block_p), (rest, 1))

    @property
    def grid(self) -> tuple[int, int, int]:
        """The number of programs, at the sizes of the captured call."""
        x, y, z = (-(-hint(extent) // block) for extent, block in self.cover)
        return x, y, z

    @property
    def parameters(self) -> Mapping[str, int | str]:
        loop = {"loop": self.loop} if self.transformation else {}
        blocks = {"block_p": self.block_p, "block_r": self.block_r}
        return {**loop, **blocks, "num_warps": self.num_warps, "programs": prod(self.grid)}

    def varied(self, values: Mapping[str, int | str]) -> "GpuSchedule":
        """The launch with new `values` for some of its free parameters, by name."""
        return replace(self, reason=as_asked(values), **values)  # type: ignore[arg-type]


Parts = tuple[GpuSchedule, ...]
