"""The loops of a CPU schedule: which of them are in vectors, which of them threads share, and how
elements are combined along the reduce axes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.ops import OPS
from compiler_core.ir.sizes import Dim, at_most, hint
from compiler_core.ir.sizes import product as product_of
from compiler_core.ir.types import BOOL
from compiler_core.kernel.canonicalize import NEAR, in_memory
from compiler_core.kernel.effects import Effect, Phase, Reduce, Scan, Store
from compiler_core.kernel.kernel import Axis, Compute, Kernel, Load, roots
from compiler_core.kernel.ranges import Range, parts, specialise
from compiler_core.kernel.residues import residues
from compiler_core.schedule.cpu.schedule import (
    MANY_POINTS,
    Inner,
    Nest,
    Part,
    chained,
    is_window,
    of_single_elements,
    planned_for,
)
from compiler_core.schedule.cpu.sums import reduces, row_block
from compiler_core.wording import counted

# The cost of an operation from which on it is a function call, which gcc does not hoist: a
# loop-invariant one is computed before all loops.
_DEAR = 8
# Shorter loops are unrolled whole rather than run in vectors.
VECTOR_EXTENT = 4
# Points of a short last axis that are written out in the loop around it, where that has at least a
# vector's: the real and the imaginary part, the channels of an image. A rotation of complex numbers
# of f32[8, 256, 8, 64] took 962 us so on one core of a Zen 1, and 2,332 by a loop over both parts.
_WRITTEN_OUT, _BESIDE = 4, 16
# More loops than this are written out only where each computes so little that all of them together
# have at most `_LONGER` times the definitions of one loop with masks: of many parts put together
# each loop reads one, where a loop with masks reads and chooses among all of them at every point.
# f32[1024, 1024] in 64 slices took 154 us so on two cores, and 24,026 with masks. More than
# `_MOST_LOOPS` never are: masks stay instead.
MOST_PARTS, _LONGER, _MOST_LOOPS = 9, 2, 256
# A loop of fewer points, and of a smaller share of all, ends before threads have synchronised: the
# edges of an image that is shifted or padded.
_FEW_POINTS, _FEW_OF_ALL = 4096, 16
# The fewest elements of a row for blocks: with fewer, combining blocks costs more than they save.
LEAST_BLOCK = 256
# The elements of a block whose mean and squares are computed in two walks, while it is in the
# cache.
MOMENTS = 4096
# The numbers of accumulators of a reduction of tuples: several vectors for each component.
LANES = (64, 32, 16)
# The fewest elements for each accumulator, since accumulators are combined one by one in the end:
# rows of 256 took 171 us by 64, 100 by 32 and 46 by 16, rows of 1000 280, 300 and 426, on two
# cores.
_WALKED = 12
# How many updates are computed before they are applied, and the fewest operations of each for which
# that pays.
UPDATES, _WORK = 256, 4
# The elements of a block that is searched in vectors before it is walked.
SEARCHED = 64

Combination = Reduce | Scan


# -- without reductions


@dataclass(frozen=True, slots=True)
class Cut:
    """How the parallel axes are split: `pieces` has the subranges of each axis, every one a loop of
    its own, and `masked` names the axes that stay one loop although masks change along them."""

    pieces: Mapping[str, tuple[Range, ...]]
    masked: tuple[str, ...]


def nests(kernel: Kernel, cut: Cut, *, threads: bool) -> tuple[Nest, ...]:
    """The loop nests over the parallel axes, one for each combination of subranges in `cut`.
    Threads share the outer axes, or the last one if the outer ones have few points."""
    if not kernel.parallel:
        return ()
    *outer, last = (cut.pieces[a.name] for a in kernel.parallel)
    nest = _written_out if not cut.masked and _is_short(kernel) else _nest
    found = (nest(kernel, at, last, threads) for at in product(*outer))
    return tuple(replace(_few_alone(kernel, nest), masked=cut.masked) for nest in found)


def cut(kernel: Kernel) -> Cut:
    """The subranges of each parallel axis within which no mask changes. An outer axis stays whole
    if splitting it would give too many loops."""
    found: dict[str, tuple[Range, ...]] = {a.name: ((0, a.extent),) for a in kernel.parallel}
    masked = list[str]()
    for axis in reversed(kernel.parallel):
        own = parts(kernel, axis.name)
        if len(own) == 1 or _are_short(kernel, {**found, axis.name: own}):
            found[axis.name] = own
        else:
            masked.append(axis.name)
    return Cut(found, tuple(masked))


def _are_short(kernel: Kernel, pieces: Mapping[str, tuple[Range, ...]]) -> bool:
    """Whether the loops over all combinations of `pieces` are few, or short to write."""
    count = prod(map(len, pieces.values()))
    if count <= MOST_PARTS or count > _MOST_LOOPS:
        return count <= MOST_PARTS
    boxes = (dict(zip(pieces, box, strict=True)) for box in product(*pieces.values()))
    written = sum(_definitions(specialise(kernel, box)) for box in boxes)
    return written <= _LONGER * _definitions(kernel)


def _definitions(kernel: Kernel) -> int:
    return len(kernel.needed(roots(*kernel.effects)))


def before(kernel: Kernel) -> int:
    """How many loop-invariant definitions are computed once before all loops: all of them if one is
    costly, as the powers in an optimizer's step are, else 0."""
    dear = any(isinstance(d, Compute) and OPS[d.op].cost >= _DEAR for d in kernel.fixed)
    # Without points there may be no memory to read.
    return len(kernel.fixed) if dear and all(a.extent != 0 for a in kernel.axes) else 0


def _few_alone(kernel: Kernel, nest: Nest) -> Nest:
    """The nest, with loops of few points left to one thread."""
    points, within = prod(a.hint for a in kernel.parallel), prod(map(_length, nest.outer))
    if _is_few(within * sum(_length(p.range) for p in nest.parts), points):
        nest, own = replace(nest, shared=(), why=""), nest.parts
    elif nest.shared == (kernel.parallel[-1].name,):
        own = tuple(p for p in nest.parts if _is_few(_length(p.range), points))
    else:
        own = ()
    # The vectors of points that are written out are of the axis before.
    parts = (_of_one(p) if p in own else p for p in nest.parts)
    return nest if nest.written_out else replace(nest, parts=tuple(parts))


def _is_few(own: int, points: int) -> bool:
    return own < _FEW_POINTS and own * _FEW_OF_ALL <= points


def _fills_vectors(extent: Dim) -> bool:
    """Whether a loop over so many points is in vectors. One whose length a call decides is, however
    short it was in the call that it was compiled for."""
    return not at_most(extent, VECTOR_EXTENT - 1)


def _length(range_: Range) -> int:
    low, high = range_
    return hint(high - low)


def _of_one(part: Part) -> Part:
    """A loop that no threads share is in vectors where it is long enough."""
    low, high = part.range
    return replace(part, alone=True, simd=part.simd and _fills_vectors(high - low))


def _is_short(kernel: Kernel) -> bool:
    """Whether the last axis has a few points, and neighbours along the axis before it lie as near
    in memory: then a vector is of these."""
    *_, beside, last = (None, *kernel.parallel)
    if beside is None or not at_most(last.extent, _WRITTEN_OUT) or beside.hint < _BESIDE:
        return False
    near = (abs(hint(access.stride(beside.name))) <= NEAR for access in in_memory(kernel))
    return all(near) and not any(access.indirect for access in in_memory(kernel))


def _nest(kernel: Kernel, at: tuple[Range, ...], last: tuple[Range, ...], threads: bool) -> Nest:
    *outer, axis = (a.name for a in kernel.parallel)
    many = not at_most(product_of(high - low for low, high in at), MANY_POINTS - 1)
    shared = (*outer,) if many else (axis,)
    points = counted(prod(map(_length, at)), "point")
    few = f"{points} of the outer axes are too few to share: {axis} is"
    why = "" if many or not outer else few
    vectors = threads and not many
    loops = (Part(*each, vectors or _fills_vectors(each[1] - each[0])) for each in last)
    # Of one point the range decides, and the compiler takes what asks out of the loop.
    long = (name for name, (low, high) in zip(outer, at, strict=True) if not at_most(high - low, 1))
    return Nest(at, tuple(loops), shared, why, residues=residues(kernel, long))


def _written_out(
    kernel: Kernel, at: tuple[Range, ...], last: tuple[Range, ...], threads: bool
) -> Nest:
    nest = _nest(replace(kernel, axes=kernel.parallel[:-1]), at[:-1], at[-1:], threads)
    loops = (Part(low, high, nest.parts[0].simd) for low, high in last)
    return replace(nest, outer=at, parts=tuple(loops), written_out=True, residues=None)


def scattering(kernel: Kernel) -> tuple[Nest, ...]:
    """The loop nest of a scatter, which applies updates in order. The last loop is in vectors if
    its updates never hit the same element; otherwise the values of several updates may be computed
    in vectors before these are applied."""
    if not kernel.parallel:
        return ()
    *outer, last = kernel.parallel
    simd = _fills_vectors(last.extent) and is_window(kernel, last)
    loop = Part(0, last.extent, simd, 0 if simd else _updates_ahead(kernel, last))
    return (Nest(tuple((0, a.extent) for a in outer), (loop,)),)


def _updates_ahead(kernel: Kernel, last: Axis) -> int:
    """So many as one block, where there is enough to compute of each update."""
    moving = kernel.varying([last.name])
    work = sum(d.name in moving for d in kernel.defs if isinstance(d, Compute))
    masked = any(isinstance(d, Load) and d.mask for d in kernel.defs)
    return UPDATES if work >= _WORK and last.hint >= UPDATES and not masked else 0


# -- along the reduce axes


def along_rows(kernel: Kernel, *, split: bool = False) -> tuple[Inner, ...]:
    """The inner loops of each phase of a kernel that reduces one row at a time; `split`: threads
    share the reduce axis."""
    return tuple(_of_phase(kernel, phase, split) for phase in kernel.phases)


def _of_phase(kernel: Kernel, phase: Phase, split: bool) -> Inner:
    inside = [e for e in phase.effects if kernel.is_tile_effect(e)]
    scans = [e for e in inside if isinstance(e, Scan)]
    if not inside:
        return Inner()
    if not scans:
        return _reducing(kernel, reduces(inside))
    return _scanning(kernel, inside, scans, _reducing(kernel, scans) if split else None)


_TOO_FEW = "{} in a row are too few for a vector"


def _reducing(kernel: Kernel, combined: Sequence[Combination]) -> Inner:
    length, block = planned_for(kernel.reduce[-1], LANES[-1]), row_block(kernel, combined)
    if any(by_blocks(kernel, e) for e in reduces(combined)):
        return Inner("moments", MOMENTS, block)
    if any(len(e.args) > 1 for e in combined):
        return _tuples(lanes(length), length, block)
    if not _fills_vectors(kernel.reduce[-1].extent):
        return Inner("in order", 0, block, why=_TOO_FEW.format(counted(length, "element")))
    return Inner("simd", 0, block)


def _tuples(width: int, length: int, block: int) -> Inner:
    if not width:
        return Inner("in order", 0, block, why=_TOO_FEW.format(counted(length, "element")))
    why = f"OpenMP reduces no tuples: {width} of them side by side"
    return Inner("lanes", width, block, why=why)


def by_blocks(kernel: Kernel, e: Reduce) -> bool:
    """Whether a reduction goes by blocks that stay in the first-level cache: Welford's, if it is
    the only reduction of its loop and its rows are long enough."""
    alone = any(reduces(phase.effects) == [e] for phase in kernel.phases)
    longest = kernel.reduce[-1].hint if kernel.reduce else 1
    return alone and of_single_elements(kernel, e) and longest >= LEAST_BLOCK


def lanes(extent: int) -> int:
    """How many elements of an axis of `extent` are combined side by side: a count that divides it,
    else that of a whole vector; 0 if there are too few for a vector."""
    fits = [n for n in LANES if n * _WALKED <= extent] or [n for n in LANES[-1:] if n <= extent]
    return next((n for n in fits if extent % n == 0), max(fits, default=0))


def _scanning(
    kernel: Kernel, effects: Sequence[Effect], scans: Sequence[Scan], before: Inner | None
) -> Inner:
    (axis,), block = kernel.reduce, row_block(kernel, reduces(effects))
    if _fills_vectors(axis.extent) and _fits_vectors(kernel, effects, scans):
        return Inner("scan", 0, block, before)
    if axis.hint >= 2 * SEARCHED and _is_searched(effects, scans):
        why = f"most elements change nothing: blocks of {SEARCHED} are searched before"
        return Inner("searched", SEARCHED, block, before, why)
    return Inner("in order", 0, block, before, "running values go from element to element")


def _fits_vectors(kernel: Kernel, effects: Sequence[Effect], scans: Sequence[Scan]) -> bool:
    return (
        not any(isinstance(e, Reduce) for e in effects)
        and not chained(scans, kernel)
        and all(len(e.names) == 1 and e.dtypes[0] is not BOOL for e in scans)
    )


def _is_searched(effects: Sequence[Effect], scans: Sequence[Scan]) -> bool:
    """Whether there is one scan, which most elements leave as it is."""
    alone = len(scans) == 1 and all(isinstance(e, Scan | Store) for e in effects)
    kept = MONOIDS[scans[0].monoid].extremum
    return alone and kept is not None and kept.last
