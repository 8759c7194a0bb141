"""The cost model of loops: arithmetic, bytes moved, wasted parts of cache lines, sectors and
vectors, idle processors, waking threads.

The CPU's figures are those of two AMD Zen 5 cores, by which threads were seen to save time from
half a megabyte on for a kernel that only moves f32, and from 100,000 tanh on.
"""

from math import prod

from compiler_core.ir.sizes import hint
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Store
from compiler_core.kernel.kernel import Kernel, Load
from compiler_core.schedule.cpu import MANY_POINTS, CpuSchedule, work
from compiler_core.schedule.targets import CpuTarget

LINE_BYTES = 64
# Of the small model in fuse/cost.py.
CORES = 2
# Elementwise operations of weight 1 that a core computes in vectors in a microsecond.
_OPS_PER_US = 60e3
# Bytes that a core moves in a microsecond: within the caches, and out of memory.
_CACHED_PER_US, _MEMORY_PER_US = 70e3, 32e3
_CACHE_BYTES = 16 * 1024 * 1024
# Of the rows that are read at once: of more, a second pass was seen to wait for memory.
_KEPT_BYTES = 8 * 1024 * 1024
# The work of combining an element: a tuple takes comparisons and selections, and a running value
# waits for the one before.
_TUPLE_WORK, _SCAN_WORK = 8, 30
# Elements of a vector: fewer take as long.
_LANES = 16
# A row's accumulators are combined at the end of each pass.
_ROW_US = 0.02
# A function of its own is called, and its loops begin.
_CALL_US = 0.1
# Partial results are combined without another launch.
COMBINE_US = 0.1


def moved(kernel: Kernel, axis: str, unit: int, without: str = "", inside: str = "") -> int:
    """Bytes moved if accesses along `axis` are adjacent in time and memory is transferred in units
    of `unit` bytes: every element once, with the unused remainder of its unit. The buffer `without`
    is not counted. `inside` is "reduce" if neighbours visit all points of the reduce axes together,
    as those of a window do, which use up the remainder."""
    whole = {b.name: b.type for b in kernel.buffers}
    found: dict[str, int] = {}
    for buffer, access in _accesses(kernel):
        if buffer == without:
            continue
        element = whole[buffer].dtype.bytes
        points = prod(a.hint for a in kernel.axes if access.stride(a.name) != 0)
        stride = abs(hint(access.stride(axis))) // (_covered(kernel, access) if inside else 1)
        wasted = min(stride, max(1, unit // element)) if stride > 1 else 1
        size = min(points * element, whole[buffer].at_hint().bytes) * wasted
        found[buffer] = max(found.get(buffer, 0), size)
    return sum(found.values())


def _covered(kernel: Kernel, access: Affine) -> int:
    """Neighbouring elements that the reduce axes visit, at least the one itself."""
    beside = [a.hint for a in kernel.reduce if abs(hint(access.stride(a.name))) == 1]
    return max((1, *beside))


def _accesses(kernel: Kernel) -> list[tuple[str, Affine]]:
    loads = [(d.buffer, d.access) for d in kernel.defs if isinstance(d, Load)]
    effects = kernel.effects
    return loads + [(e.buffer, e.access) for e in effects if isinstance(e, Store)]


def on_rows(kernel: Kernel, between: str) -> float:
    """Microseconds in which one core runs `kernel` on rows that are in cache; the buffer `between`
    costs no memory traffic."""
    axis = (kernel.reduce or kernel.parallel)[-1].name
    return max(_computing_us(kernel), moving_us(moved(kernel, axis, LINE_BYTES, between)))


def waits_for_memory(kernel: Kernel) -> bool:
    """Whether one core takes longer to move what a kernel without reductions reads and writes, in
    the order of memory, than to compute it."""
    return moving_us(moved(kernel, "", 1)) > _computing_us(kernel)


def moving_us(nbytes: float) -> float:
    """Microseconds in which one core moves `nbytes` bytes from or to memory."""
    return nbytes / (_CACHED_PER_US if nbytes <= _CACHE_BYTES else _MEMORY_PER_US)


def _computing_us(kernel: Kernel, more: int = 0) -> float:
    each = work(kernel) + _combining(kernel) + more
    return each * prod(a.hint for a in kernel.axes) / _OPS_PER_US


def _combining(kernel: Kernel) -> int:
    """The work of the reductions and scans at each point."""
    reduces = {e for e in kernel.reductions.values() if len(e.names) > 1}
    return _TUPLE_WORK * len(reduces) + _SCAN_WORK * len(set(kernel.scans.values()))


def cpu_us(
    kernel: Kernel, way: CpuSchedule, target: CpuTarget, more: int = 0, saved: int = 0
) -> float:
    """Microseconds on a CPU. `more` is arithmetic at each point in addition to the kernel's own,
    `saved` the number of passes over memory that it avoids. Where the sizes of a call decide
    whether threads are used, the better of both."""
    alone = one_core_us(kernel, way, more, saved)
    if not way.threads:
        return alone + _CALL_US
    combining = COMBINE_US * (way.strategy == "split")
    shared = alone / CORES / _busy(kernel, way) + target.waking_us + combining
    return _CALL_US + (min(alone, shared) if way.threads_from else shared)


def one_core_us(kernel: Kernel, way: CpuSchedule, more: int = 0, saved: int = 0) -> float:
    """Microseconds of one core."""
    along = kernel.reduce if way.strategy in ("rows", "split") else kernel.parallel
    axis = along[-1].name if along else ""
    inside = "reduce" if way.strategy == "columns" else ""
    unit = 1 if way.tile else LINE_BYTES
    length = along[-1].hint if along else 1
    padded = -(-length // _LANES) * _LANES / max(1, length) if kernel.reduce else 1.0
    computing = _computing_us(kernel, more) * padded
    if way.strategy == "rows":
        computing += _ROW_US * kernel.passes * prod(a.hint for a in kernel.parallel)
    moving = moving_us(moved(kernel, axis, unit, inside=inside))
    again = _read_again(kernel, way) * max(0, kernel.passes - 1 - saved)
    return max(computing, moving + again / _MEMORY_PER_US)


def _read_again(kernel: Kernel, way: CpuSchedule) -> int:
    """Bytes that a pass over the reduce axes reads although an earlier one has: of rows that do
    not stay in the caches until then."""
    if way.strategy not in ("rows", "split"):
        return 0
    rows = prod(a.hint for a in kernel.parallel)
    at_once = min(CORES, rows) if way.threads and way.strategy == "rows" else 1
    row = sum(_row_bytes(kernel, d) for d in kernel.defs if isinstance(d, Load))
    return row * rows if row * at_once > _KEPT_BYTES else 0


def _row_bytes(kernel: Kernel, load: Load) -> int:
    """Bytes that a load reads along the reduce axes, 0 if none."""
    along = [a.hint for a in kernel.reduce if load.access.stride(a.name) != 0]
    return prod(along) * load.dtype.bytes if along else 0


def _busy(kernel: Kernel, way: CpuSchedule) -> float:
    """The part of the threads that have something to do."""
    points = prod(a.hint for a in kernel.parallel)
    if way.strategy == "rows":
        return min(1.0, points / MANY_POINTS)
    if way.strategy == "columns":
        return min(1.0, points / max(1, way.block) / CORES)
    return 1.0
