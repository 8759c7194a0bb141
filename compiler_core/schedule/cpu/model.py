"""The cost model of loops: arithmetic, bytes moved, wasted parts of cache lines, sectors and
vectors, elements at computed places, idle processors, waking threads.

What a processor does in a microsecond is measured (figures.py); what is here is how a kernel's time
follows from that.
"""

from collections.abc import Mapping, Sequence
from math import prod

from compiler_core.ir.ops import OPS
from compiler_core.ir.types import BF16, F16, F32
from compiler_core.kernel.kernel import Axis, Compute, Def, Kernel, Load
from compiler_core.kernel.shares import shares
from compiler_core.schedule.cpu.schedule import MANY_POINTS, CpuSchedule
from compiler_core.schedule.figures import Figures
from compiler_core.schedule.moved import moved
from compiler_core.schedule.targets import CpuTarget

# The bytes of a cache line on every processor that is planned for.
LINE_BYTES = 64
# The elements of a vector: fewer take as long.
_LANES = 16
# Microseconds to combine partial results, which takes no further launch.
COMBINE_US = 0.1
# The shares if every definition is computed at all points.
_ALL: Mapping[str, float] = {}


def on_rows(kernel: Kernel, between: str, figures: Figures) -> float:
    """Microseconds in which one core runs `kernel` on rows that are in cache; the buffer `between`
    costs no memory traffic."""
    axis = (kernel.reduce or kernel.parallel)[-1].name
    moving = figures.moving_us(moved(kernel, axis, LINE_BYTES, between))
    return max(_computing_us(kernel, figures), moving)


def waits_for_memory(kernel: Kernel, way: CpuSchedule, figures: Figures) -> bool:
    """Whether one core takes longer to move what a kernel without reductions reads and writes, in
    the order of memory, than to compute it."""
    computing = _computing_us(kernel, figures, share=_shares(kernel, way))
    return figures.moving_us(moved(kernel, "", 1)) > computing


def _computing_us(
    kernel: Kernel, figures: Figures, more: float = 0, share: Mapping[str, float] = _ALL
) -> float:
    points = prod(a.hint for a in kernel.axes)
    each = max(1.0, _work(kernel, figures, share)) + _combining(kernel, figures) + more
    return points * each / figures.ops


def _shares(kernel: Kernel, way: CpuSchedule) -> Mapping[str, float]:
    """Of each definition the share of the points that compute it."""
    if way.strategy == "columns" and way.block:
        along = kernel.varying((kernel.parallel[-1].name,))
        return {d.name: 1 / way.block for d in kernel.defs if d.name not in along}
    if way.strategy != "flat" or not way.nests or way.tile:
        return _ALL
    whole = way.nests[0].masked
    return shares(kernel, [a for a in kernel.parallel if a.name not in whole])


def _work(kernel: Kernel, figures: Figures, share: Mapping[str, float]) -> float:
    """The work of one point of all axes, in units of one add. What is computed of a row's result
    is computed once for each row."""
    once = {d.name for d in kernel.fixed}
    inside = kernel.tile_values if kernel.reduce else frozenset(kernel.definitions)
    row = 1 / max(1, prod(a.hint for a in kernel.reduce))
    weights = (
        (1.0 if d.name in inside else row) * share.get(d.name, 1.0) * _weight(d, kernel, figures)
        for d in kernel.defs
        if not (isinstance(d, Compute) and d.name in once)
    )
    stored = (
        (1.0 if kernel.is_tile_effect(e) else row) * figures.converting(kernel.dtype_of(e.value))
        for e in kernel.stores
    )
    return sum(weights) + sum(stored)


def _weight(d: Def, kernel: Kernel, figures: Figures) -> float:
    if isinstance(d, Compute):
        upcast = d.op == "convert" and kernel.dtype_of(d.args[0]) in (BF16, F16)
        # Those are in 32 bits once they are read.
        return 0.0 if upcast and d.dtype is F32 else figures.weights.get(d.op, OPS[d.op].cost)
    return 1.0 + (figures.converting(d.dtype) if isinstance(d, Load) else 0.0)


def _combining(kernel: Kernel, figures: Figures) -> float:
    """The work of the reductions and scans at each point."""
    reduces = {e for e in kernel.reductions.values() if len(e.names) > 1}
    return figures.tupled * len(reduces) + figures.scanned * len(set(kernel.scans.values()))


def _scattering_us(kernel: Kernel, figures: Figures) -> float:
    """Of elements at computed places, which no vector reads or writes as one."""
    points = prod(a.hint for a in kernel.axes)
    reads = sum(isinstance(d, Load) and bool(d.access.indirect) for d in kernel.defs)
    return points * (reads * figures.gathered_us + len(kernel.scattered) * figures.updated_us)


def cpu_us(
    kernel: Kernel, way: CpuSchedule, target: CpuTarget, more: int = 0, saved: int = 0
) -> float:
    """Microseconds on a CPU. `more` is arithmetic at each point in addition to the kernel's own,
    `saved` the number of passes over memory that it avoids. Where the sizes of a call decide
    whether threads are used, the better of both."""
    figures = target.figures
    alone = one_core_us(kernel, way, figures, more, saved)
    if not way.threads:
        return alone + figures.call_us
    combining = COMBINE_US * (way.strategy == "split")
    shared = _shared_us(kernel, way, figures, more, saved) + target.waking_us + combining
    return figures.call_us + (min(alone, shared) if way.threads_from else shared)


def one_core_us(
    kernel: Kernel, way: CpuSchedule, figures: Figures, more: int = 0, saved: int = 0
) -> float:
    """The modelled time on one core in microseconds: the longer of arithmetic and memory. `more`
    and `saved` as for `cpu_us`."""
    computing = _on_one_core_us(kernel, way, figures, more)
    return max(computing, _moving_us(kernel, way, figures, saved, shared=False))


def side_by_side_us(
    parts: Sequence[Sequence[tuple[Kernel, CpuSchedule]]], target: CpuTarget
) -> float:
    """Microseconds of kernels that each run on one core, a part of them on each: the longest part,
    or longer where all cores together move what all of them move."""
    figures = target.figures
    moving = sum(_moving_us(k, way, figures, 0, shared=True) for part in parts for k, way in part)
    longest = max(sum(cpu_us(k, way, target) for k, way in part) for part in parts)
    return target.waking_us + max(longest, moving)


def _shared_us(kernel: Kernel, way: CpuSchedule, figures: Figures, more: int, saved: int) -> float:
    """Microseconds of all cores together, but for waking them."""
    computing = _on_one_core_us(kernel, way, figures, more) / figures.cores
    moving = _moving_us(kernel, way, figures, saved, shared=True)
    return max(computing, moving) / _busy(kernel, way, figures)


def _on_one_core_us(kernel: Kernel, way: CpuSchedule, figures: Figures, more: int) -> float:
    along = _along(kernel, way)
    length = along[-1].hint if along else 1
    padded = -(-length // _LANES) * _LANES / max(1, length) if kernel.reduce else 1.0
    computing = _computing_us(kernel, figures, more, _shares(kernel, way)) * padded
    if way.strategy in ("rows", "split"):
        # A piece of a row is combined as a row is.
        rows = prod(a.hint for a in kernel.parallel) * way.pieces
        computing += figures.row_us * kernel.passes * rows
    return computing + _scattering_us(kernel, figures)


def _moving_us(
    kernel: Kernel, way: CpuSchedule, figures: Figures, saved: int, *, shared: bool
) -> float:
    along = _along(kernel, way)
    axis = along[-1].name if along else ""
    inside = "reduce" if way.strategy == "columns" else ""
    unit = 1 if way.tile else LINE_BYTES
    again = _read_again(kernel, way, figures) * max(0, kernel.passes - 1 - saved)
    moving = figures.moving_us(moved(kernel, axis, unit, inside=inside), shared=shared)
    return moving + figures.memory_us(again, shared=shared)


def _along(kernel: Kernel, way: CpuSchedule) -> tuple[Axis, ...]:
    """The axes of which the innermost loop is the last."""
    if way.strategy in ("rows", "split"):
        return kernel.reduce
    out = any(nest.written_out for nest in way.nests)
    return kernel.parallel[:-1] if out else kernel.parallel


def _read_again(kernel: Kernel, way: CpuSchedule, figures: Figures) -> int:
    """Bytes that a pass over the reduce axes reads although an earlier one has: of rows that do
    not stay in the caches until then."""
    if way.strategy not in ("rows", "split"):
        return 0
    rows = prod(a.hint for a in kernel.parallel)
    at_once = min(figures.cores, rows) if way.threads and way.strategy == "rows" else 1
    row = sum(_row_bytes(kernel, d) for d in kernel.defs if isinstance(d, Load))
    return row * rows if row * at_once > figures.cached_bytes else 0


def _row_bytes(kernel: Kernel, load: Load) -> int:
    """Bytes that a load reads along the reduce axes, 0 if none."""
    along = [a.hint for a in kernel.reduce if load.access.stride(a.name) != 0]
    return prod(along) * load.dtype.bytes if along else 0


def _busy(kernel: Kernel, way: CpuSchedule, figures: Figures) -> float:
    """The part of the threads that have something to do."""
    points = prod(a.hint for a in kernel.parallel)
    if way.strategy == "rows":
        return min(1.0, points / max(MANY_POINTS, figures.cores))
    if way.strategy == "columns":
        return min(1.0, points / max(1, way.block) / figures.cores)
    return 1.0
