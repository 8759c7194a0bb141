"""What a loop costs on a GPU: the longer of moving its bytes and of its arithmetic, and its launch.

    memory       every buffer once, and again for each pass over what is not in registers; half of
                 the processors take all of the bandwidth
    arithmetic   at half of the peak, which counts a multiply-add as two; of a processor without a
                 program nothing

A loop that walks its rows block by block computes in each pass what that pass needs.
"""

from math import prod

from compiler_core.ir.combination import weight
from compiler_core.ir.ops import OPS
from compiler_core.kernel.effects import Phase, Reduce, Scan
from compiler_core.kernel.kernel import Compute, Def, Kernel, roots
from compiler_core.kernel.work import traffic
from compiler_core.schedule.targets import GpuTarget

# A multiply-add, which the peak counts as two operations, is one instruction as an add is.
_FUSED = 2


def moving_us(kernel: Kernel, target: GpuTarget) -> float:
    """Microseconds to move every buffer once, at the whole bandwidth."""
    return sum(traffic(kernel)) / target.bandwidth * 1e6


def computing_us(kernel: Kernel, target: GpuTarget, *, again: bool) -> float:
    """Microseconds of the arithmetic on all processors; `again` if each pass computes what it
    needs, and not the first one for all."""
    points, rows = (prod(a.hint for a in axes) for axes in (kernel.axes, kernel.parallel))
    inside = _each_pass(kernel) if again else _weight(kernel, kernel.tile_values)
    outside = _weight(kernel, {d.name for d in kernel.defs} - kernel.tile_values)
    adds = points * (inside + _combining(kernel)) + rows * outside
    return adds / (target.f32_flops / _FUSED) * 1e6


def loop_us(
    moved_us: float, computed_us: float, programs: int, target: GpuTarget, launches: int = 1
) -> float:
    """Microseconds of `launches` launches: the longer of moving and computing, whose times on a
    full GPU are `moved_us` and `computed_us`, scaled by the share of the GPU that `programs`
    programs occupy."""
    busy = min(1.0, max(1, programs) / target.processors)
    return max(moved_us / target.share(programs), computed_us / busy) + launches * target.launch_us


def _weight(kernel: Kernel, names: frozenset[str] | set[str]) -> int:
    return sum(_cost(d) for d in kernel.defs if d.name in names)


def _cost(d: Def) -> int:
    """In adds. A load is an instruction as well."""
    return OPS[d.op].cost if isinstance(d, Compute) else 1


def _each_pass(kernel: Kernel) -> int:
    """The weight of what the loops over the reduce axes compute at each point, all passes
    together."""
    return sum(_of_pass(kernel, phase) for phase in kernel.phases)


def _of_pass(kernel: Kernel, phase: Phase) -> int:
    effects = [e for e in phase.effects if kernel.is_tile_effect(e)]
    needed = kernel.needed(roots(*effects))
    return sum(_cost(d) for d in needed if d.name in kernel.tile_values)


def _combining(kernel: Kernel) -> int:
    """The weight of the reductions and scans at each point."""
    combined: set[Reduce | Scan] = {*kernel.reductions.values(), *kernel.scans.values()}
    return sum(weight(e.monoid, e.dtypes) for e in combined)
