"""Sorting rows that no program's registers hold, in several launches: blocks of each row are sorted
first, and the sorted runs are then merged, several at a time, until a row is one run.

What is in memory between two launches are words (plan/sort.py): a key's 32 bits above a place. Of
each run only what may be among the first `kept` of the row goes on. Where keys take several rounds,
each round leaves the places in its order, and the next one reads its keys there.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from compiler_core.ir.sizes import Dim, Symbol, hint
from compiler_core.ir.types import I32, I64, TensorType
from compiler_core.kernel.kernel import BufferParam
from compiler_core.kernel.text import Line
from compiler_core.plan.sort import Round, Sort


@dataclass(frozen=True)
class Runs:
    """Rows of `length` elements as sorted runs of `span` elements, the last of which may be
    shorter. Of each run the first `pitch` are in memory: only they can be among the first `kept` of
    the row."""

    length: int
    span: int
    kept: int

    @property
    def count(self) -> int:
        """The number of runs in a row."""
        return -(-self.length // self.span)

    @property
    def pitch(self) -> int:
        """The elements of a run that are in memory."""
        return min(self.span, self.kept)

    def merged(self, ways: int) -> "Runs":
        """The runs after each `ways` of them have been merged into one."""
        return Runs(self.length, self.span * ways, self.kept)


@dataclass(frozen=True)
class SortPass:
    """One launch of a sort. It makes `runs`: from `words`, runs of which `ways` become one, or,
    where there are none yet, from the keys of a round. `order` has the positions in the order of
    the round before, None in the first round. The last pass of the last round writes the sort's
    results (`temporary` is None), the last one of another round the positions in order, and all
    others words."""

    name: str
    sort: Sort
    round: Round
    runs: Runs
    ways: int
    words: BufferParam | None
    order: BufferParam | None
    temporary: BufferParam | None
    library = None
    by_design = True
    steps = ()
    plans = ()
    scratch = ()
    kernel = None
    skips_masked = False
    launches = 1

    @property
    def kind(self) -> str:
        return self.sort.kind

    @property
    def ops(self) -> tuple[str, ...]:
        return self.sort.ops

    @property
    def origins(self) -> tuple[int, ...]:
        return self.sort.origins

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return self.sort.symbols

    @property
    def before(self) -> Runs:
        """The sorted runs that this pass merges."""
        return Runs(self.runs.length, self.runs.span // self.ways, self.runs.kept)

    @property
    def is_whole(self) -> bool:
        """Whether each row is a single sorted run after this pass."""
        return self.runs.count == 1

    @property
    def partial(self) -> bool:
        """Whether the sort's results are written in part."""
        return self.temporary is None and self.sort.partial

    @property
    def inputs(self) -> tuple[BufferParam, ...]:
        reads = [b for b in (self.words, self.order if self._reads_order else None) if b]
        reads += [self.round.key] if self.words is None else []
        if self.temporary is None:
            reads += [r.source for r in self.sort.results if r.source is not None]
        return tuple({b.name: b for b in reads}.values())

    @property
    def _reads_order(self) -> bool:
        return self.words is None or self.is_whole

    @property
    def outputs(self) -> tuple[BufferParam, ...]:
        return self.sort.outputs if self.temporary is None else (self.temporary,)

    def traffic(self) -> tuple[int, int]:
        """The bytes (read, written) of the words, and of the elements that are read or written in
        their place."""
        rows = hint(self.sort.rows)
        if self.words is None:
            read = rows * self.runs.length * self.round.key.type.dtype.bytes
        else:
            read = rows * self.before.count * self.before.pitch * I64.bytes
        if self.temporary is not None:
            return read, self.temporary.type.at_hint().bytes
        elements = rows * self.runs.pitch
        results = self.sort.results
        read += sum(elements * r.source.type.dtype.bytes for r in results if r.source is not None)
        return read, sum(elements * r.out.type.dtype.bytes for r in results)

    def flops(self) -> int:
        """The number of comparisons: each element takes the steps of a binary search in every other
        run."""
        elements = hint(self.sort.rows) * self.runs.length
        if self.words is None:
            return elements * (self.runs.span - 1).bit_length()
        own = self.before
        return hint(self.sort.rows) * own.count * own.pitch * (self.ways - 1) * probes(own)

    def lines(self) -> list[Line]:
        outs, ins = (", ".join(b.name for b in side) for side in (self.outputs, self.inputs))
        way = "sorted" if self.words is None else "merged"
        shape = f"{self.runs.count} runs of {self.runs.pitch} in each of {self.sort.rows} rows"
        return [(f"{outs} = {way} {ins}  # {shape}", self.origins)]


def probes(runs: Runs) -> int:
    """The steps of a binary search in one of the runs."""
    return runs.pitch.bit_length()


def passes(sort: Sort, block: int, ways: int) -> Iterator[SortPass]:
    """The launches in order: blocks of `block` elements, merged `ways` at a time."""
    order: BufferParam | None = None
    for number, each in enumerate(sort.rounds):
        is_last, prefix = number + 1 == len(sort.rounds), f"{sort.name}_r{number}"
        prefix = sort.name if len(sort.rounds) == 1 else prefix
        runs = Runs(sort.length, block, sort.kept if is_last else sort.length)
        words: BufferParam | None = None
        for step in _steps(runs, ways):
            name = f"{prefix}_merge{step.span}" if words else f"{prefix}_blocks"
            whole = step.count == 1
            temporary = None if whole and is_last else _between(name, sort.rows, step, whole=whole)
            yield SortPass(name, sort, each, step, ways if words else 1, words, order, temporary)
            words = temporary
        order = words


def _steps(runs: Runs, ways: int) -> Iterator[Runs]:
    yield runs
    while runs.count > 1:
        runs = runs.merged(ways)
        yield runs


def _between(name: str, rows: Dim, runs: Runs, *, whole: bool) -> BufferParam:
    """Words of all runs; or, of a whole row, the places in their order."""
    dtype, suffix = (I32, "order") if whole else (I64, "words")
    return BufferParam(
        f"{name}_{suffix}", TensorType(dtype, (rows, runs.count * runs.pitch)), "out"
    )
