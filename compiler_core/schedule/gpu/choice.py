"""GPU schedules: block sizes, warps, and whether a kernel becomes several launches.

The choice is made by rules in code, not by search: each kernel is compiled in one configuration, so
that compiling stays fast, and each choice has its reason.
"""

from dataclasses import replace
from math import prod

from compiler_core.ir.sizes import at_most, product, symbols
from compiler_core.kernel.access import Affine
from compiler_core.kernel.canonicalize import in_memory
from compiler_core.kernel.kernel import Kernel, Load
from compiler_core.kernel.online import online, saved_passes
from compiler_core.schedule.choice import Candidate, Option, Scope, cheapest
from compiler_core.schedule.gpu.loops import computing_us, loop_us, moving_us
from compiler_core.schedule.gpu.scatter import Form, forms
from compiler_core.schedule.gpu.schedule import GpuSchedule, Loop, Parts
from compiler_core.schedule.gpu.split import split
from compiler_core.schedule.gpu.vary import of_gpu
from compiler_core.schedule.moved import moved
from compiler_core.schedule.targets import GpuTarget
from compiler_core.wording import counted

PERSISTENT_BYTES = (
    64 * 1024
)  # 16384 f32 or 32768 f16 elements: 64 registers a thread at 512 threads
BLOCK_BYTES = 16 * 1024  # of a row that is walked block by block: 16 f32 elements a thread
SHORT_ROW = 512  # several rows of at most so many elements are one program's
_THREADS = 128  # of a program without a reduction, at most
FLAT_BYTES = 4 * 1024  # a block of 1024 f32 or 2048 f16 elements: 16-byte accesses, 4 warps
# The most elements that a thread loads for its points, so that 255 registers hold them: of three
# Laplacians, 81 loads for a point, eight points a thread spilled on sm_90 and four took 107.
HELD = 384
TILE = 2048  # elements of a tile of several short rows, or of a walked column tile
SQUARE = 32  # on a side, as the tiles of XLA's transpose emitter
SECTOR_BYTES = 32  # what the memory moves at once
COLUMNS = 64  # neighbours that one program reduces: 256 bytes of f32, two lines of the L2 cache
NARROW_BYTES = 64  # of neighbouring columns: two sectors, the least that DRAM moves
OWN_COLUMNS = 512  # of a program whose threads share nothing: four neighbours for each thread
OWN_POINTS = (
    8  # columns for each processor and row, at least, so that many such threads wait at once
)
GRID_YZ = 65535  # the most programs along the second and third axis of a grid


def choose_gpu(
    kernel: Kernel, target: GpuTarget, of: Scope | None = None
) -> tuple[Parts, tuple[Candidate, ...]]:
    """The launches of `kernel` on `target`, one or several, of which all but the last write scratch
    buffers; and the candidates that were considered."""
    if kernel.scattered:
        return cheapest([_option(form, target) for form in forms(kernel, target)], of)
    options = _options(kernel, target, "")
    # In registers nothing is read again, and two passes are the more exact.
    fewer = online(kernel) if options[0].candidate.strategy != "persistent" else None
    if fewer is not None:
        options += _options(fewer, target, saved_passes(kernel, fewer))
    return cheapest(options, of)


def _options(kernel: Kernel, target: GpuTarget, why: str) -> list[Option[Parts]]:
    """`kernel` as one launch and as several; `why` it is run differently than its text says."""
    whole = _part(kernel, target)
    passes = 1 if whole.loop == "persistent" else kernel.passes
    pieces = split(kernel, target, prod(whole.grid), passes)
    parts = tuple(replace(_part(k, target), transformation="split") for k in pieces.kernels)
    if why:
        whole = replace(whole, reason=f"{why}: {whole.reason}")
        parts = tuple(replace(p, reason=f"{why}: {p.reason}") for p in parts)
    reason = f"{why}: {pieces.reason}" if why else pieces.reason
    title = f"{whole.reason}{_bound(kernel, passes, target)}"
    alone = _candidate(whole, title, pieces.alone_us)
    options: list[Option[Parts]] = [Option(alone, (whole,))]
    if not why:
        options += _others(kernel, whole, target)
    if kernel.reduce:
        options.append(Option(Candidate("split", reason, pieces.together_us), parts or None))
    return options


def _bound(kernel: Kernel, passes: int, target: GpuTarget) -> str:
    """That arithmetic takes longer than memory, "" where it does not."""
    moved = max(1, passes) * moving_us(kernel, target)
    computed = computing_us(kernel, target, again=passes > 1)
    if computed <= moved:
        return ""
    return f"; its arithmetic takes {computed:.1f} us of all processors, and memory {moved:.1f}"


def _candidate(part: GpuSchedule, reason: str, cost_us: float | None) -> Candidate:
    return Candidate(part.strategy, reason, cost_us, part.parameters, free=of_gpu(part))


def _others(kernel: Kernel, whole: GpuSchedule, target: GpuTarget) -> list[Option[Parts]]:
    """Alternatives to `whole` as one launch. Of equal cost, `whole` is chosen."""
    length, moved_us = prod(a.hint for a in kernel.reduce), moving_us(kernel, target)
    if whole.loop == "tiled":
        flat = _flat(kernel, target)
        last = kernel.parallel[-1].name
        waste = moved(kernel, last, SECTOR_BYTES) / moved(kernel, last, 1)
        computed = computing_us(kernel, target, again=False)
        cost = loop_us(moved_us * waste, computed, prod(flat.grid), target)
        return [Option(_candidate(flat, flat.reason, cost), (flat,))]
    if whole.loop == "looped" and not _is_fixed(kernel):
        reason = "how many elements a program would hold is known at the call only"
        return [Option(Candidate("persistent", reason))]
    if whole.loop == "looped":
        return [Option(Candidate("persistent", _why_looped(whole, length)))]
    if whole.loop == "persistent" and kernel.kind != "column":
        looped = _looped(kernel, length)
        reason = f"block by block, {counted(kernel.passes, 'pass')} over the data"
        computed = computing_us(kernel, target, again=kernel.passes > 1)
        cost = loop_us(moved_us * max(1, kernel.passes), computed, prod(looped.grid), target)
        return [Option(_candidate(looped, reason, cost), (looped,))]
    return []


def _why_looped(looped: GpuSchedule, length: int) -> str:
    """Why a program does not have the whole extent of its reductions in registers."""
    if looped.block_r == 1:
        return "threads would have to add up what each of them sums alone"
    needed, most = looped.block_p * up(length) * _element_bytes(looped.kernel), PERSISTENT_BYTES
    if needed <= most:
        columns = f"{looped.block_p} columns of {length}"
        return f"{columns} are {looped.block_p * up(length)} elements, of {TILE} that a tile has"
    return f"{length} elements are {needed // 1024} KiB, of {most // 1024} that a program may hold"


def _option(form: Form, target: GpuTarget) -> Option[Parts]:
    """Atomic updates, or each row searching all indices for its own updates."""
    if form.kernel is None:
        return Option(Candidate(form.name, form.reason))
    part = _part(form.kernel, target)
    part = replace(part, transformation=form.name, reason=f"{form.reason}; {part.reason}")
    return Option(Candidate(form.name, form.reason, form.cost_us, part.parameters), (part,))


def _is_fixed(kernel: Kernel) -> bool:
    """Whether a block can hold the reduce axes for all values of the symbols."""
    return not any(symbols(a.extent) for a in kernel.reduce)


def _part(kernel: Kernel, target: GpuTarget) -> GpuSchedule:
    if not kernel.reduce:
        return _square(kernel) or _flat(kernel, target)
    points = prod(a.hint for a in kernel.parallel)
    length = prod(a.hint for a in kernel.reduce)
    if kernel.kind == "column" and points > 1:
        return _column(kernel, points, length, target)
    if _is_fixed(kernel) and up(length) * _element_bytes(kernel) <= PERSISTENT_BYTES:
        return _persistent(kernel, points, length, target)
    return _looped(kernel, length)


# -- without reductions


def _flat(kernel: Kernel, target: GpuTarget) -> GpuSchedule:
    points = prod(a.hint for a in kernel.parallel)
    block = FLAT_BYTES // _element_bytes(kernel)
    while block > 128 and points < block * target.processors:
        block //= 2
    loads = sum(isinstance(d, Load) for d in kernel.defs)
    while block > 4 * _THREADS and loads * block > HELD * _THREADS:
        block //= 2
    block = min(block, max(up(points), 32))
    elements = product(a.extent for a in kernel.parallel)
    reason = f"a program computes {min(block, points)} of {elements} elements"
    warps = max(1, min(_THREADS // 32, block // 128))
    return GpuSchedule(kernel, "flat", block, 1, warps, reason)


def _square(kernel: Kernel) -> GpuSchedule | None:
    """If some accesses are contiguous along one axis and some along another, square tiles read and
    write whole sectors of both; Triton transposes in shared memory."""
    axes = {a.name: a for a in kernel.parallel if a.hint >= SQUARE}
    found = [c for access in in_memory(kernel) if (c := _contiguous(access)) in axes]
    if len(set(found)) != 2 or len({(a.name, a.extent) for a in axes.values()}) < 2:
        return None
    across = max(set(found), key=found.count)
    (down,) = set(found) - {across}
    reason = f"accesses are contiguous along {across} and along {down}: tiles of both"
    part = GpuSchedule(kernel, "tiled", SQUARE, SQUARE, 4, reason, (axes[down], axes[across]))
    return part if all(at_most(n, GRID_YZ * block) for n, block in part.cover[1:]) else None


def _contiguous(access: Affine) -> str:
    """The axis along which `access` has stride 1, if it also runs along another one."""
    steps = [axis for axis, stride in access.terms if abs(stride) == 1]
    return steps[0] if steps and len(access.terms) > 1 else ""


# -- with reductions


def _persistent(kernel: Kernel, points: int, length: int, target: GpuTarget) -> GpuSchedule:
    width, rows = max(2, up(length)), 1
    if length <= SHORT_ROW:
        rows = min(up(points), max(1, TILE // width))
        while rows > 1 and points < rows * target.processors:
            rows //= 2
    # 32 elements a thread, and 16 where a processor keeps 1,536 threads: ptxas for sm_120 keeps to
    # 64 registers, and spilled with 32 a layer norm's row of 4,096.
    long = _clamp(width // (target.threads // 2), 1, 16)
    warps = _clamp(rows * width // 512, 1, 4) if rows > 1 else long
    many = f"{rows} rows" if rows > 1 else "one row"
    reason = f"a program holds {many} of {length} in registers: each element is loaded once"
    if not kernel.parallel:
        reason = f"one program holds all {length} elements"
    return GpuSchedule(kernel, "persistent", rows, width, warps, reason)


def _looped(kernel: Kernel, length: int) -> GpuSchedule:
    # A scan holds its values and what they combine to, of each component, all at once.
    values = max((2 * len(e.names) - 1 for e in kernel.scans.values()), default=1)
    block = BLOCK_BYTES // _element_bytes(kernel) // up(values)
    elements = product(a.extent for a in kernel.reduce)
    many = "too many" if _is_fixed(kernel) else "perhaps too many"
    reason = f"{elements} elements are {many} for registers: walked in blocks of {block}"
    return GpuSchedule(kernel, "looped", 1, block, 8, reason)


def _column(kernel: Kernel, points: int, length: int, target: GpuTarget) -> GpuSchedule:
    """Blocks of neighbouring columns, so that accesses are contiguous: few complete columns if they
    are read more than once and fit in registers, else many columns in blocks of rows."""
    element, tall = _element_bytes(kernel), max(2, up(length))
    across = min(up(points), COLUMNS)
    least = min(across, SECTOR_BYTES // element)
    while across > least and points < across * target.processors:
        across //= 2
    while across > least and across * tall * element > PERSISTENT_BYTES:
        across //= 2
    fixed = _is_fixed(kernel)
    if fixed and across * tall * element <= PERSISTENT_BYTES and kernel.passes > 1:
        reason = f"a program holds {across} whole columns in registers"
        return GpuSchedule(
            kernel, "persistent", across, tall, _clamp(across * tall // 1024, 4, 16), reason
        )
    if (
        kernel.passes == 1
        and not kernel.scans
        and points >= OWN_POINTS * target.processors * length
    ):
        return _own_columns(kernel, points, length, target)
    across = min(up(points), COLUMNS)
    while across * element > NARROW_BYTES and target.share(-(-points // across)) < 1:
        across //= 2
    down = min(tall, TILE // across)
    loop: Loop = "persistent" if fixed and down >= length else "looped"
    reason = f"{across} neighbouring columns a program, so that accesses are contiguous"
    return GpuSchedule(kernel, loop, across, down, 4, reason)


def _own_columns(kernel: Kernel, points: int, length: int, target: GpuTarget) -> GpuSchedule:
    """Short columns, or windows: each thread walks its own, so that threads exchange nothing, and
    what neighbouring columns share is loaded and tested once."""
    block = OWN_COLUMNS
    while block > OWN_COLUMNS // 4 and points < block * target.processors:
        block //= 2
    reason = (
        f"{block} neighbouring columns a program; each thread walks the {length} rows of its own"
    )
    return GpuSchedule(kernel, "looped", block, 1, block // 128, reason)


def _element_bytes(kernel: Kernel) -> int:
    """Bytes of the widest element that the kernel loads or stores, at least 2."""
    sizes = [d.dtype.bytes for d in kernel.defs if isinstance(d, Load)]
    return max([2, *sizes, *(b.type.dtype.bytes for b in kernel.buffers if b.role == "out")])


def up(n: int) -> int:
    """The smallest power of two that is at least `n`."""
    return 1 << max(0, n - 1).bit_length()


def _clamp(n: int, low: int, high: int) -> int:
    return max(low, min(high, up(n)))
