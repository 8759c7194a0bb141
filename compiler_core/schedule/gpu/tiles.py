"""The modelled time of a matrix product that programs of a GPU compute tile by tile.

The roofline of each resource that a tile takes; the slowest one is the time:

    arithmetic   the tiles of the busiest processor, at a share of its peak; programs of fewer than
                 four warps leave some of its four schedulers idle, unless others run beside them
    memory       every operand and the result once
    L2 cache     the operands of every tile; a processor takes at most its share of the bandwidth
    latency      a program waits for memory once, and again whenever the steps that it has in flight
                 are used up; programs of one processor wait together

Nothing of this has been measured by the project. What the figures are taken from:

    share of the peak, f32     A100, 2048 and more on a side: cuBLAS 0.90, Triton (exact f32) 0.87
                               (github.com/triton-lang/triton/issues/2491)
    share of the peak, 16-bit  H100, 2048 and more on a side: cuBLAS up to 0.73, Triton up to 0.53
                               (the same, issues 2339 and 3672)
    L2 bandwidth               7.2 TB/s on A100, 9.0 on H100 by their clocks; taken as twice that of
                               memory, as not all of it is reached (PMC10448217, table 3)
    latency of memory          400 cycles of 1.4 to 1.8 GHz on both (the same)
"""

from dataclasses import dataclass

from compiler_core.ir.types import BF16, F16, DType
from compiler_core.schedule.targets import GpuTarget

# The L2 cache's bandwidth as a multiple of memory's, and microseconds of latency: from the table
# above.
_L2 = 2.0
_LATENCY_US = 0.3
# The most programs that a processor runs at the same time; and the units that issue a warp's
# instructions (Hopper tuning guide: four sub-partitions; a compute unit of CDNA 3 has four SIMDs).
_PROGRAMS, _SCHEDULERS = 16, 4


@dataclass(frozen=True, slots=True)
class Extents:
    """The sizes of `batch` products [m, k] @ [k, n]."""

    batch: int
    m: int
    n: int
    k: int

    @property
    def elements(self) -> int:
        """The number of elements of the operands and of the result."""
        return self.batch * (self.m * self.k + self.k * self.n + self.m * self.n)


@dataclass(frozen=True, slots=True)
class Tile:
    """A program's tile: `m` by `n` elements of the result, computed `k` products at a time;
    `stages` of these steps are in flight at once."""

    m: int
    n: int
    k: int
    warps: int
    stages: int


@dataclass(frozen=True, slots=True)
class Rate:
    """`peak`: operations a second of the whole GPU, of which large tiles reach a `share`;
    `element`: bytes of an element of an operand."""

    peak: float
    share: float
    element: int

    @staticmethod
    def generated(dtype: DType, target: GpuTarget) -> "Rate":
        """The rate of a generated product with operands of `dtype`."""
        half = dtype in _HALF
        return Rate(_peak(dtype, target), 0.50 if half else 0.87, dtype.bytes)

    @staticmethod
    def vendor(dtype: DType, target: GpuTarget) -> "Rate":
        """The rate of the vendor library's product with operands of `dtype`."""
        half = dtype in _HALF
        return Rate(_peak(dtype, target), 0.70 if half else 0.90, dtype.bytes)

    @property
    def flops(self) -> float:
        """Operations a second that large tiles reach."""
        return self.peak * self.share


_HALF = frozenset({F16, BF16})


def _peak(dtype: DType, target: GpuTarget) -> float:
    """Of the units that compute exactly what the type says: no TF32 for f32."""
    return target.f16_flops if dtype in _HALF else target.f32_flops


def tiles_us(size: Extents, tile: Tile, rate: Rate, target: GpuTarget) -> float:
    """Microseconds of the product without its launch and without its traffic to memory."""
    down, across = -(-size.m // tile.m), -(-size.n // tile.n)
    programs, steps = size.batch * down * across, -(-size.k // tile.k)
    if not programs:
        return 0.0
    waves = -(-programs // target.processors)
    own = 2 * tile.m * tile.n * steps * tile.k
    resident = _resident(tile, rate, target)
    busy = min(1.0, min(waves, resident) * tile.warps / _SCHEDULERS)
    computing = waves * own / (rate.flops / target.processors * busy)
    loaded = programs * (tile.m + tile.n) * steps * tile.k * rate.element
    rounds = -(-programs // (target.processors * resident))
    waiting = rounds * _LATENCY_US * (1 + steps / max(1, tile.stages - 1))
    bandwidth = _L2 * target.bandwidth * min(1.0, max(1, programs) / target.processors)
    return max(computing * 1e6, loaded / bandwidth * 1e6, waiting)


def _resident(tile: Tile, rate: Rate, target: GpuTarget) -> int:
    """Programs that one processor runs side by side."""
    shared = tile.stages * (tile.m + tile.n) * tile.k * rate.element
    threads = tile.warps * target.warp_size
    return max(1, min(_PROGRAMS, target.threads // threads, target.shared_bytes // shared))


# The tiles of the vendor's library, by which its kernels are named; it is modelled with the best.
_VENDOR_TILES = (
    Tile(128, 256, 64, 8, 3), Tile(128, 128, 64, 8, 3), Tile(128, 64, 32, 4, 4),
    Tile(64, 128, 32, 4, 4), Tile(64, 64, 32, 4, 4), Tile(32, 32, 32, 4, 4),
)  # fmt: skip
# The numbers of parts into which the vendor's library divides k if there are too few tiles, at the
# cost of another launch.
_PARTS = (1, 2, 4, 8, 16, 32)


def vendor_us(size: Extents, dtype: DType, target: GpuTarget) -> float:
    """Microseconds of the vendor library's product, without its launch and its memory traffic."""
    rate = Rate.vendor(dtype, target)
    return min(
        tiles_us(_divided(size, count), tile, rate, target) + (count > 1) * target.launch_us
        for tile in _VENDOR_TILES
        for count in _PARTS
    )


def _divided(size: Extents, parts: int) -> Extents:
    return Extents(size.batch * parts, size.m, size.n, -(-size.k // parts))
