"""Whether a GPU reduction is split into several kernels: the modelled times of both, by memory and
arithmetic."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from compiler_core.ir.sizes import is_multiple, number
from compiler_core.kernel.effects import Phase, Store
from compiler_core.kernel.kernel import Axis, Kernel, Load
from compiler_core.schedule.gpu.loops import computing_us, loop_us, moving_us
from compiler_core.schedule.gpu.parts import in_parts, reduces
from compiler_core.schedule.gpu.scan_parts import is_one_scan, scanned_in_parts
from compiler_core.schedule.targets import GpuTarget
from compiler_core.wording import counted

MIN_PIECE_BYTES = 16 * 1024  # of the reduced extent that one program walks
COLUMNS = 64  # that one program of a column kernel covers


@dataclass(frozen=True, slots=True)
class Pieces:
    """The kernels that a kernel is split into, none if that is not possible or not faster; and the
    modelled times of the single kernel and of all parts, in microseconds."""

    kernels: tuple[Kernel, ...]
    reason: str
    alone_us: float
    together_us: float | None = None


def split(kernel: Kernel, target: GpuTarget, programs: int, passes: int) -> Pieces:
    """The parts of `kernel`, which as a single launch would have `programs` programs that read
    their inputs `passes` times."""
    once = moving_us(kernel, target)
    computed = computing_us(kernel, target, again=passes > 1)
    alone = loop_us(max(1, passes) * once, computed, programs, target)
    phases = [s for s in kernel.phases if reduces(s)]
    if kernel.scans:
        return _scan(kernel, target, programs, alone)
    if not phases or not kernel.reduce:
        return Pieces((), "there is no reduction to divide among programs", alone)
    if kernel.symbols:
        return Pieces((), "how many parts pay depends on a size that is a symbol", alone)
    axis = max(kernel.reduce, key=lambda a: number(a.extent))
    count = _count(kernel, axis, target)
    if count < 2:
        return Pieces((), f"{axis.extent} elements are too few to share", alone)
    if not is_multiple(axis.extent, count) and _stores_in(kernel, phases):
        return Pieces((), f"{axis.extent} elements do not come out even in {count} parts", alone)
    together = _time_together(kernel, count, target)
    if together >= alone:
        return Pieces((), f"each reduction in {count} parts", alone, together)
    pieces = in_parts(kernel, axis, count)
    reason = f"{_idle(programs, target)}: each reduction in {count} parts"
    return Pieces(pieces, reason, alone, together)


def _idle(programs: int, target: GpuTarget) -> str:
    few = counted(programs, "program")
    return f"{few} would leave most of {target.processors} processors idle"


def _scan(kernel: Kernel, target: GpuTarget, programs: int, alone: float) -> Pieces:
    """A scan in three launches: the totals of parts, what is before each part, and each part's scan
    from there."""
    if kernel.symbols or not is_one_scan(kernel):
        return Pieces(
            (), "the values of these scans would have to be passed from program to program", alone
        )
    (axis,) = kernel.reduce
    extent, most = number(axis.extent), _count(kernel, axis, target)
    if most < 2:
        return Pieces((), f"{extent} elements are too few to share", alone)
    count = next((n for n in range(most, 1, -1) if extent % n == 0), 1)
    if count < 2:
        reason = f"{extent} elements do not come out even in 2 to {most} parts"
        return Pieces((), reason, alone)
    # What is scanned is read, and computed, for the totals as well.
    moved, computed = moving_us(kernel, target), computing_us(kernel, target, again=True)
    together = loop_us(2 * moved, 2 * computed, _across(kernel) * count, target, 3)
    reason = f"the scan in {count} parts, each from what the parts before it combine to"
    if together >= alone:
        return Pieces((), reason, alone, together)
    reason = f"{_idle(programs, target)}: {reason}"
    return Pieces(scanned_in_parts(kernel, count), reason, alone, together)


def _across(kernel: Kernel) -> int:
    """The number of programs over the parallel axes of one part."""
    points = prod(a.hint for a in kernel.parallel)
    return -(-points // COLUMNS) if kernel.kind == "column" else points


def _count(kernel: Kernel, axis: Axis, target: GpuTarget) -> int:
    """The number of parts: a power of two that gives every processor two programs, but leaves each
    of them enough to do."""
    wanted = -(-2 * target.processors // _across(kernel))
    columns = COLUMNS if kernel.kind == "column" else 1
    element = max([1, *(d.dtype.bytes for d in kernel.defs if isinstance(d, Load))])
    length = prod(a.hint for a in kernel.reduce)
    most = min(axis.hint, length * columns * element // MIN_PIECE_BYTES)
    count = 1
    while count < wanted and count * 2 <= most:
        count *= 2
    return count


def _time_together(kernel: Kernel, count: int, target: GpuTarget) -> float:
    """Microseconds: each phase reads the inputs again, and each reduction takes two launches."""
    reducing = sum(reduces(s) for s in kernel.phases)
    passes, computed = kernel.passes, computing_us(kernel, target, again=True)
    launches = 2 * reducing + (passes > reducing)
    moved = passes * moving_us(kernel, target)
    return loop_us(moved, computed, _across(kernel) * count, target, launches)


def _stores_in(kernel: Kernel, phases: Iterable[Phase]) -> bool:
    return any(isinstance(e, Store) and kernel.is_tile_effect(e) for s in phases for e in s.effects)
