"""GPU schedules of a generated matrix product: tiles of the result, and steps along k.

A program computes `block_m` by `block_n` elements and accumulates in f32. Programs are ordered in
groups of `group_m` rows of tiles: programs that run at the same time then share columns of the
right operand in the L2 cache (the order of Triton's matmul tutorial).
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from compiler_core.ir.sizes import Dim, hint
from compiler_core.ir.types import F32, DType
from compiler_core.schedule.gpu.tiles import Extents, Rate, Tile, tiles_us
from compiler_core.schedule.targets import GpuTarget

# The smallest side of a tile that tl.dot accepts.
LEAST = 16
GROUP_M = 8
# The most steps along k whose operands are in flight or in use, if shared memory has room for them.
MOST_STAGES = 4
# Programs of one processor that share its shared memory.
_RESIDENT = 2
# The most elements of a tile: operands of f32 are held in registers beside the accumulators. Larger
# tiles spill, or nearly.
_MOST_F32, _MOST_HALF = 64 * 128, 128 * 128
_SIDES = (16, 32, 64, 128)


@dataclass(frozen=True, slots=True)
class GpuMatmulSchedule:
    """`num_stages`: steps along k that are loaded ahead, the current one included. `parts` of k are
    summed by programs of their own."""

    batch: Dim
    m: Dim
    n: Dim
    block_m: int
    block_n: int
    block_k: int
    num_warps: int
    num_stages: int
    reason: str
    strategy: str = "matmul"
    parts: int = 1

    @property
    def tile(self) -> Tile:
        return Tile(self.block_m, self.block_n, self.block_k, self.num_warps, self.num_stages)

    @property
    def cover(self) -> tuple[tuple[Dim, int], ...]:
        """(extent, tile size) of each dimension; the grid has a program for each combination of
        tiles."""
        return ((self.m, self.block_m), (self.n, self.block_n), (self.batch, 1), (self.parts, 1))

    @property
    def grid(self) -> tuple[int, int, int]:
        """The launch grid at the sizes of the captured call."""
        return (prod(-(-hint(extent) // block) for extent, block in self.cover), 1, 1)

    @property
    def blocks(self) -> Mapping[str, int]:
        return {
            "BLOCK_M": self.block_m, "BLOCK_N": self.block_n, "BLOCK_K": self.block_k,
            "GROUP_M": GROUP_M,
        }  # fmt: skip

    @property
    def parameters(self) -> Mapping[str, int | str]:
        blocks = {name.lower(): value for name, value in self.blocks.items()}
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages}
        parts = {"parts": self.parts} if self.parts > 1 else {}
        return {**blocks, **parts, **options, "programs": self.grid[0]}


def choose_gpu_matmul(
    dtype: DType, sizes: tuple[Dim, Dim, Dim, Dim], target: GpuTarget, most: int = _MOST_HALF
) -> GpuMatmulSchedule:
    """The tiles, of at most `most` elements, that the model says are fastest for a product of
    `sizes` (batch, m, n, k); of equals, the largest."""
    batch, m, n, _ = sizes
    extents, rate = Extents(*map(hint, sizes)), Rate.generated(dtype, target)
    found = sorted(tiles(extents, dtype, target, most), key=lambda t: -t.m * t.n)
    floor = extents.elements * dtype.bytes / target.bandwidth * 1e6
    best = min(found, key=lambda t: max(floor, tiles_us(extents, t, rate, target)))
    reason = f"a program computes {best.m} by {best.n} elements, {best.k} products at a time"
    return GpuMatmulSchedule(batch, m, n, best.m, best.n, best.k, best.warps, best.stages, reason)


def tiles(size: Extents, dtype: DType, target: GpuTarget, most: int) -> Iterator[Tile]:
    """The tiles that a program's registers and shared memory hold, none larger than the matrix."""
    most = min(most, _MOST_F32 if dtype is F32 else _MOST_HALF)
    depth = max(LEAST, min(32 if dtype is F32 else 64, _up(size.k)))
    for m, n in itertools.product(_SIDES, repeat=2):
        if m * n <= most and m <= max(LEAST, _up(size.m)) and n <= max(LEAST, _up(size.n)):
            shared = target.shared_bytes // _RESIDENT // ((m + n) * depth * dtype.bytes)
            yield Tile(m, n, depth, _warps(m * n), max(2, min(MOST_STAGES, shared)))


def _warps(elements: int) -> int:
    """64 elements of the accumulator a thread at most, and few warps for small tiles."""
    return next(warps for least, warps in _WARPS if elements >= least)


# (elements of the accumulator, warps): the first row with at most as many elements counts.
_WARPS = ((8192, 8), (1024, 4), (512, 2), (0, 1))


def _up(n: int) -> int:
    return 1 << max(0, n - 1).bit_length()
