"""Sorting rows in C: a sorting network, a radix sort, or the first k by a selection or a collection
(schedule/cpu/sort.py).

    for (long row = 0; row < 64; row++) {
        for (long i = 0; i < 4096; i++)
            words[i] = order_word(order_f32(x0[row * 4096 + i]), i);
        sorted = order_radix(words, words + 4096, 4096, 32, 64);
        for (long i = 0; i < 4096; i++) y0[row * 4096 + i] = x0[row * 4096 + (unsigned)sorted[i]];
    }

Words are sorted (plan/sort.py); the elements themselves are copied last, from their original
positions.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from compiler_core.codegen.c.order import order_of
from compiler_core.codegen.c.types import memory_type
from compiler_core.codegen.writer import Source, Writer
from compiler_core.ir.sizes import atom
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.plan import Launch
from compiler_core.plan.sort import Round, Sort
from compiler_core.schedule.cpu.sort import (
    LANES,
    CpuSort,
    significant_bits,
)

# The bits of a network's word that hold the position; above them are those of the rank in the
# previous round.
_PLACE_BITS = 16


def shape(launch: Launch) -> object:
    """A key that is equal for launches that can share a function."""
    step, schedule = _sort_of(launch)
    number = {b.name: i for i, b in enumerate(step.inputs)}
    return (
        schedule,
        (step.outer, step.length, step.inner, step.kept, step.pitch, step.descending, step.total),
        tuple(b.type.dtype for b in step.inputs),
        tuple(number[b.name] for b in step.keys),
        tuple((r.out.type.dtype, r.source and number[r.source.name]) for r in step.results),
    )


def buffers(launch: Launch) -> tuple[BufferParam, ...]:
    """The buffers that the function takes, in order."""
    step = launch.step
    return (*step.inputs, *step.outputs, *step.scratch)


def function(alike: Sequence[Launch]) -> Source:
    """The function of launches with equal keys."""
    step, schedule = _sort_of(alike[0])
    origins = sorted({o for launch in alike for o in launch.step.origins})
    printer = _Printer(Writer(), step, schedule, tuple(origins))
    printer.run()
    return printer.w.source(step.name, "c")


def _sort_of(launch: Launch) -> tuple[Sort, CpuSort]:
    step, schedule = launch.step, launch.schedule
    assert isinstance(step, Sort) and isinstance(schedule, CpuSort)
    return step, schedule


@dataclass(frozen=True)
class _Printer:
    """In the text, operands are x0, x1, ... and results y0, y1, ..."""

    w: Writer
    step: Sort
    schedule: CpuSort
    origins: tuple[int, ...]

    def run(self) -> None:
        step = self.step
        order = "descending" if step.descending else "ascending"
        self._line(f"// {step.kind}, {order}: {self.schedule.reason}")
        self._line(f"static void {step.name}(")
        with self.w.indent():
            self.w.lines(*self._parameters())
        with self._block(") {"):
            _BY_STRATEGY[self.schedule.strategy](self)

    def _parameters(self) -> list[str]:
        step = self.step
        given = [
            f"const {memory_type(b.type.dtype)} *restrict x{i}" for i, b in enumerate(step.inputs)
        ]
        results = [
            f"{memory_type(b.type.dtype)} *restrict y{i}" for i, b in enumerate(step.outputs)
        ]
        more = ["unsigned long *restrict words"] * bool(step.scratch)
        more += ["int threads"] * self.schedule.threads
        more += [f"long {symbol}" for symbol in step.symbols]
        return [", ".join(given) + ",", ", ".join([*results, *more])]

    # -- text

    def _line(self, text: str) -> None:
        self.w.line(text, self.origins)

    @contextmanager
    def _block(self, head: str) -> Iterator[None]:
        self._line(head)
        with self.w.indent():
            yield
        self.w.line("}")

    def _shared(self) -> None:
        if self.schedule.threads:
            self._line("#pragma omp parallel for num_threads(threads)")

    def _start(self, row: str, length: int) -> str:
        """The offset of the first element of a row of `length`."""
        inner = self.step.inner
        if inner == 1:
            return f"{row} * {length}"
        return f"{row} / {atom(inner)} * {atom(length * inner)} + {row} % {atom(inner)}"

    def _at(self, start: str, place: str) -> str:
        inner = self.step.inner
        return f"{start} + {place}" + (f" * {atom(inner)}" if inner != 1 else "")

    def _bits(self, round_: Round, at: str) -> str:
        """32 bits of the element there; of 64 the upper ones are lost where they are passed on."""
        number = self.step.inputs.index(round_.key)
        bits = f"{order_of(round_.key.type.dtype, self.step.total)}(x{number}[{at}])"
        if round_.shift:
            bits = f"({bits} >> {round_.shift})"
        return f"~{bits}" if self.step.descending else bits

    def _word(self, round_: Round, start: str, place: str, low: str) -> str:
        return f"order_word({self._bits(round_, self._at(start, place))}, {low})"

    def _write(self, start: str, target: str, i: str, place: str) -> None:
        """Stores element `i` of the results, which was at `place` in the operands."""
        for number, result in enumerate(self.step.results):
            value = place
            if result.source is not None:
                source = self.step.inputs.index(result.source)
                value = f"x{source}[{self._at(start, place)}]"
            self._line(f"y{number}[{self._at(target, i)}] = {value};")

    # -- strategies

    def network(self) -> None:
        rows, length = atom(self.step.rows), self.step.length
        self._shared()
        with self._block(f"for (long block = 0; block < {rows}; block += {LANES}) {{"):
            self.w.line(f"unsigned long words[{length}][{LANES}];")
            self.w.line(f"long rows = block + {LANES} < {rows} ? {LANES} : {rows} - block;")
            for number, round_ in enumerate(self.step.rounds):
                self._network_round(round_, first=number == 0)
            with self._block("for (long lane = 0; lane < rows; lane++) {"):
                self.w.line("long row = block + lane;")
                self.w.line(f"long start = {self._start('row', length)};")
                self.w.line(f"long target = {self._start('row', self.step.pitch)};")
                with self._block(f"for (long i = 0; i < {self.step.kept}; i++) {{"):
                    self.w.line(f"long place = words[i][lane] & {_mask(_PLACE_BITS)};")
                    self._write("start", "target", "i", "place")

    def _network_round(self, round_: Round, *, first: bool) -> None:
        """Lanes beyond the last row repeat that row."""
        with self._block(f"for (long lane = 0; lane < {LANES}; lane++) {{"):
            self.w.line("long row = block + (lane < rows ? lane : rows - 1);")
            self.w.line(f"long start = {self._start('row', self.step.length)};")
            with self._block(f"for (long i = 0; i < {self.step.length}; i++) {{"):
                place, low = "i", "i"
                if not first:
                    self.w.line(f"long place = words[i][lane] & {_mask(_PLACE_BITS)};")
                    place, low = "place", f"i << {_PLACE_BITS} | place"
                self._line(f"words[i][lane] = {self._word(round_, 'start', place, low)};")
        self._line(f"order_network(words, {self.step.length});")

    def radix(self) -> None:
        rows, pieces = atom(self.step.rows), self.schedule.pieces
        if pieces == 1:
            with self._block(f"for (long row = 0; row < {rows}; row++) {{"):
                self._radix_row("words")
            return
        self._shared()
        self._line(f"for (long piece = 0; piece < {pieces}; piece++)")
        low, end = (f"{p} * {rows} / {pieces}" for p in ("piece", "(piece + 1)"))
        with self.w.indent(), self._block(f"for (long row = {low}; row < {end}; row++) {{"):
            self.w.line(f"unsigned long *own = words + piece * {2 * self.step.length};")
            self._radix_row("own")

    def _radix_row(self, own: str) -> None:
        n = self.step.length
        self.w.line(f"unsigned long *from = {own}, *to = from + {n};")
        self.w.line(f"long start = {self._start('row', n)};")
        self.w.line(f"long target = {self._start('row', self.step.pitch)};")
        for number, round_ in enumerate(self.step.rounds):
            self._radix_round(round_, own, first=number == 0)
        with self._block(f"for (long i = 0; i < {self.step.kept}; i++) {{"):
            self.w.line("long place = (unsigned)from[i];")
            self._write("start", "target", "i", "place")

    def _radix_round(self, round_: Round, own: str, *, first: bool) -> None:
        n = self.step.length
        with self._block(f"for (long i = 0; i < {n}; i++) {{"):
            place = "i"
            if not first:
                place = "place"
                self.w.line("long place = (unsigned)from[i];")
            self._line(f"from[i] = {self._word(round_, 'start', place, place)};")
        if not first:
            self.w.line(f"to = from == {own} ? from + {n} : {own};")
        low, end = (32 + bit for bit in significant_bits(round_.key.type.dtype))
        self._line(f"from = order_radix(from, to, {n}, {low}, {end});")

    def selection(self) -> None:
        (round_,), kept, n = self.step.rounds, self.step.kept, self.step.length
        word = self._word(round_, "start", "i", "i")
        self._shared()
        with self._block(f"for (long row = 0; row < {atom(self.step.rows)}; row++) {{"):
            self.w.line(f"unsigned long best[{kept}];")
            self.w.line(f"long start = {self._start('row', n)};")
            self.w.line(f"long target = {self._start('row', self.step.pitch)};")
            self._line(f"for (long i = 0; i < {kept}; i++) order_insert(best, i, {word});")
            with self._block(
                f"for (long block = {kept}; block < {n}; block += {self.schedule.block}) {{"
            ):
                self._selected_block(round_, word)
            with self._block(f"for (long i = 0; i < {kept}; i++) {{"):
                self.w.line("long place = (unsigned)best[i];")
                self._write("start", "target", "i", "place")

    def _selected_block(self, round_: Round, word: str) -> None:
        last = self.step.kept - 1
        self._skipped_block(round_, f"best[{last}]")
        with self._block("for (long i = block; i < end; i++) {"):
            self._line(f"unsigned long word = {word};")
            self._line(f"if (word < best[{last}]) order_insert(best, {last}, word);")

    def _skipped_block(self, round_: Round, least: str) -> None:
        """Goes on with the next block if nothing in this one comes before the word `least`."""
        block, n = self.schedule.block, self.step.length
        self.w.line(f"long end = block + {block} < {n} ? block + {block} : {n};")
        self.w.line(f"unsigned last = {least} >> 32;")
        self.w.line("int better = 0;")
        self.w.line("#pragma omp simd reduction(|: better)")
        self._line("for (long i = block; i < end; i++)")
        with self.w.indent():
            self._line(f"better |= {self._bits(round_, self._at('start', 'i'))} < last;")
        self.w.line("// Of equals the first is there already.")
        self.w.line("if (!better) continue;")

    def collection(self) -> None:
        (round_,), kept, n = self.step.rounds, self.step.kept, self.step.length
        size, block = self.schedule.words, self.schedule.block
        word = self._word(round_, "start", "i", "i")
        low, end = (32 + bit for bit in significant_bits(round_.key.type.dtype))
        in_order = f"order_first(words, {size}, count, {kept}, {low}, {end});"
        self._shared()
        with self._block(f"for (long row = 0; row < {atom(self.step.rows)}; row++) {{"):
            self.w.line(f"unsigned long words[{2 * size}];")
            self.w.line(f"long start = {self._start('row', n)}, count = {size};")
            self.w.line(f"long target = {self._start('row', self.step.pitch)};")
            self._line(f"for (long i = 0; i < {size}; i++) words[i] = {word};")
            with self._block(f"for (long block = {size}; block < {n}; block += {block}) {{"):
                with self._block(f"if (count > {size - block}) {{"):
                    self._line(in_order)
                    self.w.line(f"count = {kept};")
                self._skipped_block(round_, f"words[{kept - 1}]")
                with self._block("for (long i = block; i < end; i++) {"):
                    self._line(f"unsigned long word = {word};")
                    self._line("words[count] = word;")
                    self._line("count += word >> 32 < last;")
            self._line(in_order)
            with self._block(f"for (long i = 0; i < {kept}; i++) {{"):
                self.w.line("long place = (unsigned)words[i];")
                self._write("start", "target", "i", "place")


def _mask(bits: int) -> str:
    return f"0x{2**bits - 1:x}"


# By strategy.
_BY_STRATEGY: Mapping[str, Callable[[_Printer], None]] = {
    "network": _Printer.network,
    "radix": _Printer.radix,
    "selection": _Printer.selection,
    "collection": _Printer.collection,
}
STRATEGIES = frozenset(_BY_STRATEGY)
