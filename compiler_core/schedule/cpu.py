"""CPU schedules: which loop the threads share, how it is vectorised, and what is kept in cache.

flat     no reduction: loops over the parallel axes, the last one in vectors
rows     threads share the points of the parallel axes; each reduces its axes in vectors
columns  threads share blocks of the last parallel axis; a block is one vector of accumulators,
         and the loops over the reduce axes are inside
scatter  updates at computed places, applied in order: each thread owns columns of every row
split    few parallel points: threads share the reduce axes, and partial results are combined
         in a fixed order, so that the number of threads does not change the result
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Literal, get_args

from compiler_core.ir import ops
from compiler_core.ir.sizes import hint, symbols
from compiler_core.ir.types import BF16, F16, F32, DType
from compiler_core.kernel.kernel import (
    Axis,
    Compute,
    Kernel,
    Load,
    Phase,
    Scan,
    Store,
    operands,
    roots,
)

Strategy = Literal["flat", "rows", "columns", "split", "scatter"]
STRATEGIES = frozenset(get_args(Strategy))

# Below this much work (in units of one add) waking a thread costs more than it saves.
PARALLEL_WORK = 32 * 1024
# A float sum is taken in f32 over so many elements at most, and over these sums in f64: that
# bounds the error as a pairwise sum does.
SUM_BLOCK = 4096
# The same for a column, whose f32 sum goes on from row to row.
COLUMN_RUN = 256
# Rows of kept values stay in the second-level cache, and shorter ones in the first.
KEEP_BYTES = 256 * 1024
KEEP_FIRST_LEVEL_BYTES = 16 * 1024
# A value is kept for later stages where computing it again costs more than a load and a store.
KEEP_COST = 4
COLUMN_BLOCK = 512
# Columns of a scatter come in multiples of this: two whole cache lines of f32, so that threads
# that have neighbouring blocks do not take lines from each other often.
SCATTER_BLOCK = 32
# Of a transposing walk: along the axis of the contiguous reads, and along the last one. Few of
# these, as lines a power of two apart share the places of the first-level cache.
TILE = (64, 16)
# Pieces of a split reduction: enough to balance threads, few enough to add up at no cost.
PIECES = 64
# Accumulators side by side of a reduction of tuples: several vectors of each component.
LANES = (64, 32, 16)
# With fewer points than this the threads share the reduce axes instead.
MANY_POINTS = 8


@dataclass(frozen=True, slots=True)
class Kept:
    """A tile value that is computed once and stored for later phases: in an array of its own or, at
    no cost in memory, in the output buffer that is overwritten later."""

    name: str
    place: Store | None = None


@dataclass(frozen=True, slots=True)
class CpuSchedule:
    """`block`: columns in a block of the columns strategy. `pieces`: parts of a split reduction.
    `tile`: in the flat strategy, the axis along which some access is contiguous while others are
    contiguous along the last one. `threads_from`: points of all axes from which threads are used,
    where how many there are is known at a call only."""

    strategy: Strategy
    threads: bool
    reason: str
    block: int = 0
    pieces: int = 1
    keep: tuple[Kept, ...] = ()
    tile: str = ""
    threads_from: int = 0

    @property
    def parameters(self) -> Mapping[str, int | str]:
        """Parameters for the report: what differs from a plain loop by one thread."""
        kept = ", ".join(k.name for k in self.keep)
        given: dict[str, int | str] = {
            "threads": "all" if self.threads else 0,
            "block": self.block,
            "pieces": self.pieces if self.strategy == "split" else 0,
            "tile": self.tile,
            "keep": kept,
            "threads_from": self.threads_from,
        }
        return {name: value for name, value in given.items() if value}


def choose_cpu(kernel: Kernel, parallel_work: int = PARALLEL_WORK) -> CpuSchedule:
    """The schedule of `kernel`, by rules in code rather than by search. Threads are used from
    `parallel_work` on, in units of one add."""
    chosen = _choose(kernel, parallel_work)
    if not kernel.symbols or not chosen.threads:
        return chosen
    # With other sizes there may be more work, or less.
    pieces = PIECES if chosen.strategy == "split" else chosen.pieces
    return replace(chosen, threads_from=-(-parallel_work // work(kernel)), pieces=pieces)


def _choose(kernel: Kernel, parallel_work: int) -> CpuSchedule:
    points = prod(a.hint for a in kernel.parallel)
    length = prod(a.hint for a in kernel.reduce)
    threads = bool(kernel.symbols) or points * length * work(kernel) >= parallel_work
    if kernel.scattered:
        return _scatter(kernel, threads)
    if not kernel.reduce:
        return _flat(kernel, threads)
    if kernel.kind == "column":
        return _columns(kernel, points, length, threads)
    scans = list(dict.fromkeys(kernel.scans.values()))
    if threads and points < MANY_POINTS and chained(scans, kernel):
        threads = False
        keep = kept(kernel, length)
        reason = "a scan of a scan: one element after the other"
        return CpuSchedule("rows", points > 1, reason, keep=keep)
    if threads and points < MANY_POINTS:
        few = "one row is" if points == 1 else f"{points} rows are"
        reason = f"{few} too few for the threads: they share each row"
        if scans:
            reason += ", whose parts are combined first and scanned then"
        return CpuSchedule("split", True, reason, pieces=min(PIECES, -(-length // SUM_BLOCK)))
    keep = kept(kernel, length)
    where = ", ".join(f"{k.name} kept in {k.place.buffer if k.place else 'cache'}" for k in keep)
    reason = "a row at a time" + (f", {where}" if where else "")
    return CpuSchedule("rows", threads, reason, keep=keep)


def _flat(kernel: Kernel, threads: bool) -> CpuSchedule:
    for axis in kernel.parallel[:-1]:
        last = kernel.parallel[-1]
        large = axis.hint >= TILE[0] and last.hint >= TILE[1]
        if large and any(
            isinstance(d, Load)
            and d.access.stride(axis.name) == 1 < hint(d.access.stride(last.name))
            for d in kernel.defs
        ):
            reason = "something is read across: in tiles, whose cache lines are used up"
            return CpuSchedule("flat", threads, reason, tile=axis.name)
    return CpuSchedule("flat", threads, "no reduction")


def _scatter(kernel: Kernel, threads: bool) -> CpuSchedule:
    """No two threads write one element, and each element's updates are applied in order, so that
    the result is the same on every run and with any number of threads."""
    if kernel.parallel and is_window(kernel, kernel.parallel[-1]):
        last = kernel.parallel[-1].hint
        block = max(SCATTER_BLOCK, -(-last // MANY_POINTS // SCATTER_BLOCK) * SCATTER_BLOCK)
        if threads and block < last:
            reason = f"each thread has blocks of {block} columns of every row: deterministic"
            return CpuSchedule("scatter", True, reason, block=block)
    return CpuSchedule("scatter", False, "updates may meet: one thread, in their order")


def is_window(kernel: Kernel, axis: Axis) -> bool:
    """Whether updates at different points along `axis` never hit one element, because the axis runs
    within the row that an index selects."""
    moving = kernel.varying([axis.name])
    return all(
        e.access.stride(axis.name) != 0 and not moving.intersection(e.access.values)
        for e in kernel.scattered
    )


def _columns(kernel: Kernel, points: int, length: int, threads: bool) -> CpuSchedule:
    last = kernel.parallel[-1].hint
    block = min(COLUMN_BLOCK, last)
    blocks = points // last * -(-last // block)
    while threads and blocks < MANY_POINTS and block > 64:
        block //= 2
        blocks = points // last * -(-last // block)
    reason = f"blocks of {block} neighbouring columns"
    return CpuSchedule("columns", threads, reason, block=block)


def register(dtype: DType) -> DType:
    """The type in which values of `dtype` are computed: f32 for 16-bit floats."""
    return F32 if dtype in (F16, BF16) else dtype


def chained(scans: Sequence[Scan], kernel: Kernel) -> bool:
    """Whether one of `scans` combines the results of another."""
    names = {name for e in scans for name in e.names}
    return any(_reads(kernel, e, names) for e in scans)


def _reads(kernel: Kernel, e: Scan, names: set[str]) -> bool:
    return any(
        a in names for a in (*e.args, *(x for d in kernel.needed(e.args) for x in operands(d)))
    )


def lanes(extent: int) -> int:
    """How many elements of an axis of `extent` are combined side by side: a count that divides it,
    else that of a whole vector; 0 if there are too few for a vector."""
    fits = [n for n in LANES if n <= extent]
    return next((n for n in fits if extent % n == 0), max(fits, default=0))


def work(kernel: Kernel) -> int:
    """The cost of one point of all axes, in units of one add."""
    costs = (ops.OPS[d.op].cost if isinstance(d, Compute) else 1 for d in kernel.defs)
    return max(1, sum(costs))


def kept(kernel: Kernel, length: int) -> tuple[Kept, ...]:
    """The tile values worth keeping: needed in two phases, costly, and together small enough,
    unless an output buffer can hold them."""
    found: list[Kept] = []
    size = 0
    # An array on the stack has a length that is a number.
    fixed = not any(symbols(a.extent) for a in kernel.reduce)
    for name in _shared(kernel):
        if _cost(kernel, name, [k.name for k in found]) < KEEP_COST:
            continue
        own = length * register(kernel.dtype_of(name)).bytes
        place = _place(kernel, name) if own > KEEP_FIRST_LEVEL_BYTES or not fixed else None
        if place and all(k.place is None or k.place.buffer != place.buffer for k in found):
            found.append(Kept(name, place))
        elif fixed and size + own <= KEEP_BYTES:
            size += own
            found.append(Kept(name))
    return tuple(found)


def _place(kernel: Kernel, name: str) -> Store | None:
    """A store of the last phase that depends on `name`, has its type, and writes at each of its
    points."""
    using = [s for s in kernel.phases if name in _needed(kernel, s)]
    dtype = register(kernel.dtype_of(name))
    axes = {a.name for a in kernel.axes}
    types = {b.name: b.type.dtype for b in kernel.buffers}
    for e in using[-1].effects:
        if isinstance(e, Store) and types[e.buffer] is dtype and dtype.is_float:  # noqa: SIM102
            if {axis for axis, _ in e.access.terms} == axes:
                return e
    return None


def _needed(kernel: Kernel, phase: Phase) -> set[str]:
    return {d.name for d in kernel.needed(roots(*phase.effects))}


def _shared(kernel: Kernel) -> list[str]:
    """Tile values in order of definition that two phases need, other than through another shared
    value."""
    phases = [kernel.needed(roots(*s.effects)) for s in kernel.phases]
    seen: dict[str, int] = {}
    for needed in phases:
        for d in needed:
            if d.name in kernel.tile_values and isinstance(d, Compute | Load):
                seen[d.name] = seen.get(d.name, 0) + 1
    shared = {name for name, count in seen.items() if count > 1}
    inner = {
        a
        for name in shared
        for a in operands(kernel.definitions[name])
        if a in shared and seen[a] == seen[name]
    }
    return [d.name for d in kernel.defs if d.name in shared - inner]


def _cost(kernel: Kernel, name: str, known: list[str]) -> int:
    defs = kernel.needed((name,), known)
    return sum(
        ops.OPS[d.op].cost for d in defs if isinstance(d, Compute) and d.name in kernel.tile_values
    )
