"""How a Kernel is walked on a GPU: block sizes, warps, and whether it becomes several launches.

The choice is a table in code, not a search: one configuration a kernel is compiled, so that
compiling stays fast, and each choice says its reason.
"""

from dataclasses import dataclass
from math import prod
from typing import Literal

from compiler_core.schedule.kernel import Kernel, Load
from compiler_core.schedule.split import split
from compiler_core.schedule.targets import GpuTarget

# flat: a block of points. resident: a row's reduce axes fit in one block, so that each element is
# loaded once. looped: the reduce axes are walked block by block, once a stage.
Walk = Literal["flat", "resident", "looped"]

RESIDENT_BYTES = 64 * 1024  # 16384 f32 or 32768 f16 elements: 64 registers a thread at 512 threads
SHORT_ROW = 512
FLAT_BYTES = 4 * 1024  # a block of 1024 f32 or 2048 f16 elements: 16-byte accesses, 4 warps
TILE = 2048  # elements of a tile of several short rows, or of a column tile


@dataclass(frozen=True, slots=True)
class Part:
    """One launch. A program covers `block_p` points of the parallel axes and `block_r` of the
    reduce axes at a time, both powers of two."""

    kernel: Kernel
    walk: Walk
    block_p: int
    block_r: int
    num_warps: int
    reason: str

    @property
    def programs(self) -> int:
        return -(-prod(a.extent for a in self.kernel.parallel) // self.block_p)


@dataclass(frozen=True, slots=True)
class GpuSchedule:
    """Launches in order; all but the last of a split kernel write scratch."""

    parts: tuple[Part, ...]
    reason: str


def choose_gpu(kernel: Kernel, target: GpuTarget) -> GpuSchedule:
    """The schedule of `kernel` on `target`."""
    pieces = split(kernel, target)
    parts = tuple(_part(piece, target) for piece in pieces.kernels)
    return GpuSchedule(parts, pieces.reason or parts[0].reason)


def _part(kernel: Kernel, target: GpuTarget) -> Part:
    if not kernel.reduce:
        return _flat(kernel, target)
    points = prod(a.extent for a in kernel.parallel)
    length = prod(a.extent for a in kernel.reduce)
    if kernel.kind == "column" and points > 1:
        return _column(kernel, points, length, target)
    if up(length) * _element_bytes(kernel) <= RESIDENT_BYTES:
        return _resident(kernel, points, length, target)
    return _looped(kernel, length)


def _flat(kernel: Kernel, target: GpuTarget) -> Part:
    points = prod(a.extent for a in kernel.parallel)
    block = FLAT_BYTES // _element_bytes(kernel)
    while block > 128 and points < block * target.processors:
        block //= 2
    block = min(block, max(up(points), 32))
    return Part(kernel, "flat", block, 1, max(1, min(4, block // 128)), f"blocks of {block}")


def _resident(kernel: Kernel, points: int, length: int, target: GpuTarget) -> Part:
    width, rows = max(2, up(length)), 1
    if length <= SHORT_ROW:
        rows = min(up(points), max(1, TILE // width))
        while rows > 1 and points < rows * target.processors:
            rows //= 2
    warps = _clamp(rows * width // 512, 1, 4) if rows > 1 else _clamp(width // 1024, 1, 16)
    many = f"{rows} rows" if rows > 1 else "one row"
    reason = f"{many} of {length} a program, held in registers: each element is loaded once"
    return Part(kernel, "resident", rows, width, warps, reason)


def _looped(kernel: Kernel, length: int) -> Part:
    block = 16 * 1024 // _element_bytes(kernel)
    reason = f"rows of {length} are too long for registers: walked in blocks of {block}"
    return Part(kernel, "looped", 1, block, 8, reason)


def _column(kernel: Kernel, points: int, length: int, target: GpuTarget) -> Part:
    across = min(up(points), 64)
    down = min(max(2, up(length)), TILE // across)
    walk: Walk = "resident" if down >= length else "looped"
    reason = f"{across} neighbouring columns a program, so that accesses are contiguous"
    return Part(kernel, walk, across, down, 4, reason)


def _element_bytes(kernel: Kernel) -> int:
    """The widest element that the kernel loads or stores, at least 2 bytes."""
    sizes = [d.dtype.bytes for d in kernel.defs if isinstance(d, Load)]
    return max([2, *sizes, *(b.type.dtype.bytes for b in kernel.buffers if b.role == "out")])


def up(n: int) -> int:
    """The least power of two that is at least `n`."""
    return 1 << max(0, n - 1).bit_length()


def _clamp(n: int, low: int, high: int) -> int:
    return max(low, min(high, up(n)))
