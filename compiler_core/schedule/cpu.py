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
from dataclasses import dataclass
from typing import Literal, get_args

from compiler_core.ir import ops
from compiler_core.ir.sizes import symbols
from compiler_core.ir.types import BF16, F16, F32, DType
from compiler_core.kernel.kernel import (
    Axis,
    Compute,
    Const,
    Kernel,
    Load,
    Phase,
    Reduce,
    Scan,
    Store,
    operands,
    roots,
)

Strategy = Literal["flat", "rows", "columns", "split", "scatter"]
STRATEGIES = frozenset(get_args(Strategy))

# A float sum is taken in f32 over so many elements at most, and over these sums in f64: that
# bounds the error as a pairwise sum does.
SUM_BLOCK = 4096
# Fewer elements of a block do not outweigh that it is combined with others.
LEAST_BLOCK = 256
# The same for a column, whose f32 sum goes on from row to row.
COLUMN_RUN = 256
# Rows of kept values stay in the second-level cache, and shorter ones in the first.
KEEP_BYTES = 256 * 1024
KEEP_FIRST_LEVEL_BYTES = 16 * 1024
# A value is kept for later stages where computing it again costs more than a load and a store.
KEEP_COST = 4
# Of a transposing walk: along the axis of the contiguous reads, and along the last one. Few of
# these, as lines a power of two apart share the places of the first-level cache.
TILE = (64, 16)
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
    where how many there are is known at a call only. `online`: it is of the kernel that
    kernel/online.py makes of the step's own."""

    strategy: Strategy
    threads: bool
    reason: str
    block: int = 0
    pieces: int = 1
    keep: tuple[Kept, ...] = ()
    tile: str = ""
    threads_from: int = 0
    online: bool = False

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
            "online": int(self.online),
        }
        return {name: value for name, value in given.items() if value}


def is_window(kernel: Kernel, axis: Axis) -> bool:
    """Whether updates at different points along `axis` never hit one element, because the axis runs
    within the row that an index selects."""
    moving = kernel.varying([axis.name])
    return all(
        e.access.stride(axis.name) != 0 and not moving.intersection(e.access.values)
        for e in kernel.scattered
    )


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


def of_single_elements(kernel: Kernel, e: Reduce | Scan) -> bool:
    """Whether Welford's reduction combines single elements: squares of 0 and a count of 1."""
    rest = [kernel.definitions.get(a) for a in e.args[1:]]
    return e.monoid == "welford" and [d.value for d in rest if isinstance(d, Const)] == [0, 1]


def by_blocks(kernel: Kernel, e: Reduce) -> bool:
    """Whether a reduction takes blocks that stay in the first-level cache: Welford's, as the only
    one of its walk, of rows that are long enough."""
    alone = any([x for x in s.effects if isinstance(x, Reduce)] == [e] for s in kernel.phases)
    return alone and of_single_elements(kernel, e) and kernel.reduce[-1].hint >= LEAST_BLOCK


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
    stores = (e for e in using[-1].effects if isinstance(e, Store) and types[e.buffer] is dtype)
    whole = (e for e in stores if {axis for axis, _ in e.access.terms} == axes)
    return next(whole, None) if dtype.is_float else None


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
