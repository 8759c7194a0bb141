"""Which schedule a kernel gets on a CPU: every way that is considered, with its modelled cost.

A way is a strategy of schedule/cpu/schedule.py, run by one thread or shared by all of them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import ceil, prod

from compiler_core.ir.ops import OPS
from compiler_core.ir.sizes import at_most, hint, number, product, symbols
from compiler_core.kernel.canonicalize import NEAR, in_memory
from compiler_core.kernel.kernel import Kernel
from compiler_core.kernel.online import online, saved_passes
from compiler_core.schedule.choice import Candidate, Option, Scope, cheapest
from compiler_core.schedule.cpu.columns import down_columns
from compiler_core.schedule.cpu.kept import kept, kept_in_outputs
from compiler_core.schedule.cpu.loops import along_rows, before, by_blocks, cut, nests, scattering
from compiler_core.schedule.cpu.model import cpu_us, one_core_us
from compiler_core.schedule.cpu.schedule import (
    MANY_POINTS,
    CpuSchedule,
    Kept,
    Tile,
    chained,
    is_window,
    planned_for,
)
from compiler_core.schedule.cpu.streamed import streamed
from compiler_core.schedule.cpu.tiled import read_across, tile
from compiler_core.schedule.cpu.vary import of_cpu
from compiler_core.schedule.targets import CpuTarget

# The columns of a block, and the fewest of one that is shorter so that every thread has a block.
COLUMN_BLOCK, LEAST_COLUMNS = 512, 64
# The columns of a scatter's block are a multiple of this: two whole cache lines of f32, so that
# threads with neighbouring blocks rarely take lines from each other.
SCATTER_BLOCK = 32
# Pieces of a split reduction: enough to balance threads, few enough to add up at no cost.
PIECES = 64
# The fewest elements of a piece.
LEAST_PIECE = 4096

_BY_ONE_OR_ALL = frozenset({"flat", "rows", "columns"})
# A schedule, or a candidate that is not possible.
Way = CpuSchedule | Candidate
_ANY = CpuTarget()


def choose_cpu(
    kernel: Kernel, target: CpuTarget = _ANY, of: Scope | None = None
) -> tuple[CpuSchedule, tuple[Candidate, ...]]:
    """The cheapest schedule of `kernel`, and all that were considered."""
    ways = [_at_any_size(kernel, way, target) for way in _ways(kernel)]
    ways = [_past_caches(kernel, way, target) for way in ways]
    if kernel.symbols:
        # Whether threads share it is then decided at each call.
        shared = [way for way in ways if isinstance(way, Candidate) or way.threads]
        ways = shared if any(isinstance(way, CpuSchedule) for way in shared) else ways
    options = [_option(kernel, way, target) for way in ways]
    return cheapest([*options, *_fewer_walks(kernel, ways, target)], of)


def _option(kernel: Kernel, way: Way, target: CpuTarget, saved: int = 0) -> Option[CpuSchedule]:
    """`saved`: the passes over memory that it does without."""
    if isinstance(way, Candidate):
        return Option(way)
    us, who = cpu_us(kernel, way, target, saved=saved), ""
    if way.strategy in _BY_ONE_OR_ALL:
        who = ", shared by the threads" if way.threads else ", by one thread"
    reason = "; ".join(filter(None, (f"{way.reason}{who}", way.because)))
    free = of_cpu(kernel, way)
    return Option(Candidate(way.strategy, reason, us, way.parameters, free=free), way)


def _past_caches(kernel: Kernel, way: Way, target: CpuTarget) -> Way:
    if isinstance(way, Candidate) or target.in_loop:
        return way
    return replace(way, streamed=streamed(kernel, way, target))


def _at_any_size(kernel: Kernel, way: Way, target: CpuTarget) -> Way:
    """With symbolic sizes there may be more points at a call, or fewer."""
    if not kernel.symbols or isinstance(way, Candidate) or not way.threads:
        return way
    points = prod(a.hint for a in kernel.axes)
    figures = target.figures
    saved_us = one_core_us(kernel, way, figures) * (1 - 1 / figures.cores) / max(1, points)
    least = ceil(min(target.waking_us / saved_us, 2**62)) if saved_us else 0
    way = replace(way, threads_from=least)
    return _in_pieces(kernel, way, PIECES) if way.strategy == "split" else way


def _fewer_walks(
    kernel: Kernel, ways: Sequence[Way], target: CpuTarget
) -> Iterator[Option[CpuSchedule]]:
    """`ways` with fewer passes over memory: of a mean and squares, where blocks of a row are walked
    twice instead. An online softmax is never taken in C (docs/decisions/0014)."""
    fewer = online(kernel)
    if fewer is None:
        return
    head, own = saved_passes(kernel, fewer), {*kernel.reductions.values()}
    tuples = [e for e in {*fewer.reductions.values()} if len(e.names) > 1 and e not in own]
    possible = [w for w in ways if isinstance(w, CpuSchedule)]
    for way in possible:
        if any(e.monoid != "welford" for e in tuples):
            reason = f"{head}: a second exponential for each element, and a sum that is not in f64"
            more = OPS["exponential"].cost + OPS["multiply"].cost
            us = min(cpu_us(kernel, w, target, more, len(tuples)) for w in possible)
            yield Option(Candidate(way.strategy, reason, us))
            return
        if way.strategy == "columns" or not all(by_blocks(fewer, e) for e in tuples):
            reason = f"{head}: a running mean has not the digits of two passes"
            yield Option(Candidate(way.strategy, reason))
            return
        reason = f"{head}, mean and squares by blocks that stay in cache: {way.reason}"
        inner = along_rows(fewer, split=way.strategy == "split")
        once = replace(way, reason=reason, inner=inner, online=True)
        yield _option(kernel, once, target, len(tuples))


def choose_cpu_row(kernel: Kernel) -> CpuSchedule:
    """The schedule, by one thread, of `kernel` on one row of a matrix that is in cache."""
    if not kernel.reduce:
        loops = nests(kernel, cut(kernel), threads=False)
        return CpuSchedule("flat", False, "", nests=loops, before=before(kernel))
    length = prod(number(axis.extent) for axis in kernel.reduce)
    return CpuSchedule("rows", False, "", keep=kept(kernel, length), inner=along_rows(kernel))


# -- the ways of each kind of kernel; of equal cost the first is chosen


def _ways(kernel: Kernel) -> Iterator[Way]:
    if kernel.scattered:
        return _scatters(kernel)
    if not kernel.reduce:
        return _flat(kernel)
    if kernel.kind == "column":
        return _columns(kernel)
    return _rows(kernel)


def _by_one_or_all(make: Callable[[bool], CpuSchedule]) -> Iterator[CpuSchedule]:
    return (make(threads) for threads in (False, True))


def _flat(kernel: Kernel) -> Iterator[Way]:
    pieces = cut(kernel)

    def loops(threads: bool, reason: str, tiles: Tile | None = None) -> CpuSchedule:
        own, once = nests(kernel, pieces, threads=threads), 0 if tiles else before(kernel)
        return CpuSchedule("flat", threads, reason, tile=tiles, nests=own, before=once)

    across = read_across(kernel)
    if not across:
        yield from _by_one_or_all(lambda threads: loops(threads, "no reduction"))
        return
    reason, chosen = tile(kernel, across)
    yield from _by_one_or_all(lambda threads: loops(threads, reason, chosen))
    along = "along the last axis, whose neighbours lie in different cache lines"
    yield from _by_one_or_all(lambda threads: loops(threads, along))


def _scatters(kernel: Kernel) -> Iterator[Way]:
    """No two threads write one element, and each element's updates are applied in order, so that
    the result is the same on every run and with any number of threads."""
    loops, reason = scattering(kernel), "one thread applies the updates in their order"
    yield CpuSchedule("scatter", False, reason, nests=loops)
    if not kernel.parallel or not is_window(kernel, kernel.parallel[-1]):
        yield Candidate("scatter", "updates of different threads may meet")
        return
    last = kernel.parallel[-1].hint
    block = max(SCATTER_BLOCK, -(-last // MANY_POINTS // SCATTER_BLOCK) * SCATTER_BLOCK)
    if block >= last:
        yield Candidate("scatter", f"{last} columns are too few for blocks of {block}")
        return
    reason = f"each thread has blocks of {block} columns of every row: deterministic"
    yield CpuSchedule("scatter", True, reason, block=block, nests=loops)


def _columns(kernel: Kernel) -> Iterator[Way]:
    yield from _by_one_or_all(lambda threads: _blocks(kernel, threads))
    inner, reason = along_rows(kernel), "a column at a time"
    yield from _by_one_or_all(lambda threads: CpuSchedule("rows", threads, reason, inner=inner))


def _blocks(kernel: Kernel, threads: bool) -> CpuSchedule:
    block, what = _column_block(kernel, threads), "rows" if kernel.kind == "row" else "columns"
    keep = kept_in_outputs(kernel, block * prod(a.hint for a in kernel.reduce))
    reason = f"blocks of {block} neighbouring {what}{_where(keep)}"
    inner = down_columns(kernel, block)
    return CpuSchedule("columns", threads, reason, block=block, keep=keep, inner=inner)


def _where(keep: Sequence[Kept]) -> str:
    return "".join(f", {k.name} kept in {k.place.buffer if k.place else 'cache'}" for k in keep)


def _column_block(kernel: Kernel, threads: bool) -> int:
    last = planned_for(kernel.parallel[-1], LEAST_COLUMNS)
    outer = prod(a.hint for a in kernel.parallel[:-1])
    block = min(COLUMN_BLOCK, last)
    while threads and outer * -(-last // block) < MANY_POINTS and block > LEAST_COLUMNS:
        block //= 2
    return block


def _rows(kernel: Kernel) -> Iterator[Way]:
    points = prod(a.hint for a in kernel.parallel)
    length = prod(a.hint for a in kernel.reduce)
    keep = kept(kernel, length)
    reason = f"a row at a time{_where(keep)}"
    inner = along_rows(kernel)
    yield from _by_one_or_all(lambda t: CpuSchedule("rows", t, reason, keep=keep, inner=inner))
    yield _split(kernel, points, length)
    if _rows_lie_beside(kernel):
        yield from _by_one_or_all(lambda threads: _blocks(kernel, threads))


def _rows_lie_beside(kernel: Kernel) -> bool:
    """Whether neighbouring rows are read from and written to neighbouring places, as those of
    three numbers are, or of elements that an index selects: then they may be in one vector."""
    if not kernel.parallel or kernel.scans:
        return False
    last = kernel.parallel[-1].name
    strides = [access.stride(last) for access in in_memory(kernel)]
    steps = [abs(hint(stride)) for stride in strides]
    # A call may have longer rows than the one that was compiled for.
    return 1 in steps and max(steps) <= NEAR and all(at_most(stride, NEAR) for stride in strides)


def _split(kernel: Kernel, points: int, length: int) -> Way:
    scans = list(dict.fromkeys(kernel.scans.values()))
    if chained(scans, kernel):
        return Candidate("split", "a scan of a scan: one element after the other")
    if length == 0:
        return Candidate("split", "no elements: there is nothing to share")
    if not at_most(product(a.extent for a in kernel.parallel), MANY_POINTS - 1):
        if any(symbols(a.extent) for a in kernel.parallel):
            return Candidate("split", "how many rows there are is known at the call only")
        return Candidate("split", f"{points} rows are enough for the threads")
    few = "one row is" if points == 1 else f"{points} rows are"
    reason = f"{few} too few for the threads: they share each row"
    if scans:
        reason += ", whose parts are combined first and scanned then"
    way = CpuSchedule("split", True, reason, inner=along_rows(kernel, split=True))
    return _in_pieces(kernel, way, min(PIECES, -(-length // LEAST_PIECE)))


def _in_pieces(kernel: Kernel, way: CpuSchedule, pieces: int) -> CpuSchedule:
    """The threads share the axis that has the most of so many pieces."""
    axis = max(kernel.reduce, key=lambda a: min(a.hint, pieces))
    return replace(way, pieces=pieces, shared=axis.name)
