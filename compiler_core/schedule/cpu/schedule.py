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
from typing import Literal, get_args

from compiler_core.ir.sizes import Dim, symbols
from compiler_core.ir.types import BF16, F16, F32, DType
from compiler_core.kernel.effects import Reduce, Scan, Store
from compiler_core.kernel.kernel import Axis, Const, Kernel, operands
from compiler_core.kernel.ranges import Range
from compiler_core.kernel.residues import Residues
from compiler_core.schedule.choice import as_asked

Strategy = Literal["flat", "rows", "columns", "split", "scatter"]
STRATEGIES = frozenset(get_args(Strategy))
# The value of "simd" that keeps loops out of vectors.
NO = "no"

# With fewer points than this the threads share the reduce axes instead: of eight points two, four
# or eight threads have as many each. To share a reduce axis costs a combination of what each has.
MANY_POINTS = 8
# A block's row is prefetched two rows ahead: a sum over columns of tanh(x), of 1024 rows in blocks
# of 128 of 1024 columns, took 1.1 ms without and 0.23 with that, on two cores of a Xeon.
AHEAD = 2
# The same for a row at a computed place: 40,960 rows of 64 f32 of a table of 5 MB, looked up and
# added by twenties, took 1,810 us without, and with 2, 4 and 8 rows 850, 778 and 844, on one core
# of a Zen 1.
LOOKED_UP = 4
# The elements of a block that is written by non-temporal stores; it is collected in the first-level
# cache.
STREAM_BLOCK = 256


@dataclass(frozen=True, slots=True)
class Kept:
    """A tile value that is computed once and stored for later phases: in an array of its own or, at
    no cost in memory, in the output buffer that is overwritten later."""

    name: str
    place: Store | None = None


# How the elements along the reduce axes are combined.
How = Literal["in order", "simd", "lanes", "moments", "written out", "scan", "searched"]


@dataclass(frozen=True, slots=True)
class Inner:
    """The loops over the reduce axes in one phase.

    in order     one element after the other
    simd         in vectors, by an OpenMP reduction(...) clause
    lanes        elements a distance of `width` apart share an accumulator, for neighbours in
                 vectors
    moments      mean and squares by blocks of `width`, each of which is walked twice
    written out  few points, all of them in the one loop along a block of columns
    scan         running values in vectors, by OpenMP's inscan reductions
    searched     blocks of `width` are searched in vectors for an element that changes the running
                 value, and walked where there is one

    `sum_block`: so many elements of a float sum are added in f32, and these sums in f64; 0 where
    all of them are. `parts`: of a scan whose axis the threads share, how each part is combined
    first. `ahead`: loads of the rows of a block of columns that are fetched before they are needed,
    AHEAD rows later, or LOOKED_UP where places are computed. `together`: rows of a block of columns
    that are added in a register, before their sum is added to the block's; 0 if each is by itself.
    `why` is blank where a loop is simply in vectors.
    """

    how: How = "in order"
    width: int = 0
    sum_block: int = 0
    parts: "Inner | None" = None
    why: str = ""
    ahead: tuple[str, ...] = ()
    together: int = 0

    @property
    def parameters(self) -> Mapping[str, int | str]:
        own = {self.how: self.width or "yes", "sum_block": self.sum_block}
        own |= {"ahead": len(self.ahead), "together": self.together}
        before = self.parts.parameters if self.parts else {}
        return {**before, **{n: v for n, v in own.items() if v and n != "in order"}}


@dataclass(frozen=True, slots=True)
class Part:
    """A loop over low <= i < high of the last axis, in vectors if `simd`. `ahead`: in a scatter,
    the values of so many updates are computed in vectors before these are applied one by one; 0:
    none. `alone`: one thread runs the loop although threads share its axis."""

    low: Dim
    high: Dim
    simd: bool
    ahead: int = 0
    alone: bool = False

    @property
    def range(self) -> Range:
        """(low, high)."""
        return self.low, self.high


@dataclass(frozen=True, slots=True)
class Nest:
    """Loops over a part of a kernel's points: over `outer`, a range of each outer axis, and within
    them over each of `parts`. Threads, if there are any, share the axes `shared`: the outer ones,
    or the last, or none of a few points, and `why` is blank or says why it is the last. Along the
    axes `masked` a loop is not split where masks change: there would be too many loops. Each of
    the `residues` of an outer axis that decide masks has loops of its own. With `written_out`, the
    points of the last axis are written out in the loop over the axis before it, which takes its
    place."""

    outer: tuple[Range, ...]
    parts: tuple[Part, ...]
    shared: tuple[str, ...] = ()
    why: str = ""
    masked: tuple[str, ...] = ()
    written_out: bool = False
    residues: Residues | None = None


@dataclass(frozen=True, slots=True)
class Tile:
    """`down` points of `axis`, along which some access is contiguous, by `along` of the last
    axis. The loads `turned` are turned before, into an array in which neighbours lie along the last
    axis."""

    axis: str
    down: int
    along: int
    turned: tuple[str, ...] = ()

    def __str__(self) -> str:
        turned = f", {', '.join(self.turned)} turned" if self.turned else ""
        return f"{self.down} of {self.axis} by {self.along}{turned}"


@dataclass(frozen=True, slots=True)
class CpuSchedule:
    """`block`: columns in a block of the columns and scatter strategies. `pieces`: parts of a split
    reduction, of the axis `shared`. `nests`: the loops of the flat and scatter strategies, unless
    these go by a `tile`. `inner`: the loops over the reduce axes in each phase. `threads_from`:
    points of all axes from which threads are used, where how many there are is known at a call
    only. `online`: it is of the kernel that kernel/online.py makes of the step's own. `streamed`:
    the buffers that are written past the caches (schedule/cpu/streamed.py), by blocks of
    `stream_block` elements. `before`: how many definitions, the same at every point, are computed
    once before all loops; 0: what a compiler takes out of the loops is left to it."""

    strategy: Strategy
    threads: bool
    reason: str
    block: int = 0
    pieces: int = 1
    shared: str = ""
    keep: tuple[Kept, ...] = ()
    tile: Tile | None = None
    nests: tuple[Nest, ...] = ()
    inner: tuple[Inner, ...] = ()
    threads_from: int = 0
    online: bool = False
    streamed: tuple[str, ...] = ()
    stream_block: int = STREAM_BLOCK
    before: int = 0

    @property
    def parameters(self) -> Mapping[str, int | str]:
        """Parameters for the report: what differs from a plain loop by one thread."""
        given: dict[str, int | str] = {
            "threads": "all" if self.threads else 0,
            "shared": self._shared,
            "block": self.block,
            "pieces": self.pieces if self.strategy == "split" else 0,
            "tile": str(self.tile or ""),
            **({} if self.tile else _of_nests(self.nests)),
            **{name: value for inner in self.inner for name, value in inner.parameters.items()},
            "keep": ", ".join(k.name for k in self.keep),
            "threads_from": self.threads_from,
            "online": int(self.online),
            "streamed": len(self.streamed),
            "stream_block": self.stream_block if self.streamed else 0,
            "before": self.before,
        }
        return {name: value for name, value in given.items() if value}

    @property
    def because(self) -> str:
        """The reasons for the form of its loops, in addition to `reason`, which is that for the
        strategy; "" if there are none."""
        nests = [nest for nest in self.nests if not self.tile]
        shared = (nest.why for nest in nests if self.threads)
        masks = (_MASKED.format(", ".join(nest.masked)) for nest in nests if nest.masked)
        past = _STREAMED.format(", ".join(self.streamed)) if self.streamed else ""
        once = _ONCE if self.before else ""
        inner = (inner.why for inner in self.inner)
        found = dict.fromkeys((*shared, *masks, *inner, past, once))
        return "; ".join(filter(None, found))

    def __str__(self) -> str:
        given = (f"{name}: {value}" for name, value in self.parameters.items())
        return f"{self.strategy} {{{', '.join(given)}}}"

    def varied(self, values: Mapping[str, int | str]) -> "CpuSchedule":
        """The schedule with new `values` for some of its free parameters, by name."""
        way = self._in_order if values.get("simd") == NO else self
        sizes = {name: value for name, value in values.items() if name != "simd"}
        return replace(way, reason=as_asked(values), **sizes)  # type: ignore[arg-type]

    @property
    def _in_order(self) -> "CpuSchedule":
        """The schedule without vectors."""
        nests, inner = map(_plain, self.nests), map(_scalar, self.inner)
        return replace(self, nests=tuple(nests), inner=tuple(inner))

    @property
    def _shared(self) -> str:
        """The axes that the threads share, where these are not all of the parallel ones."""
        by_nests = self.threads and not self.tile
        found = dict.fromkeys(", ".join(nest.shared) for nest in self.nests if by_nests)
        return self.shared or "; ".join(filter(None, found))


_ONCE = "what is the same at every point is computed once, before the loops"
_STREAMED = "{} too large for the caches, and written past them"
_MASKED = "masks stay along {}: there would be too many loops"


def _of_nests(nests: tuple[Nest, ...]) -> Mapping[str, int | str]:
    """How many loops there are, if not one, along which axes masks stay, which are in vectors, and
    how many updates are computed ahead."""
    loops = [part.simd for nest in nests for part in nest.parts]
    many = len(loops) if len(loops) > 1 else 0
    some = f"{sum(loops)} of {len(loops)} loops" if any(loops) else ""
    masked = dict.fromkeys(name for nest in nests for name in nest.masked)
    simd = "yes" if loops and all(loops) else some
    out = sum(nest.written_out for nest in nests)
    residues = dict.fromkeys(f"{x.axis} % {x.count}" for nest in nests if (x := nest.residues))
    ahead = max((part.ahead for nest in nests for part in nest.parts), default=0)
    return {
        "loops": many, "residues": ", ".join(residues), "masked": ", ".join(masked),
        "simd": simd, "written out": out, "updates ahead": ahead,
    }  # fmt: skip


def _plain(nest: Nest) -> Nest:
    return replace(nest, parts=tuple(replace(part, simd=False) for part in nest.parts))


def _scalar(inner: Inner) -> Inner:
    return replace(inner, how="in order") if inner.how == "simd" else inner


def planned_for(axis: Axis, least: int) -> int:
    """The extent that loops along `axis` are planned for: at least `least` if it is symbolic, even
    if the captured call has fewer points."""
    return max(axis.hint, least) if symbols(axis.extent) else axis.hint


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
    """Whether a Welford reduction combines single elements, rather than partial results: its
    squares are 0 and its count is 1."""
    rest = [kernel.definitions.get(a) for a in e.args[1:]]
    return e.monoid == "welford" and [d.value for d in rest if isinstance(d, Const)] == [0, 1]
