"""Sorting rows in Triton: by counting, by a bitonic network in registers, or by selection of the
first elements (schedule/gpu/sort.py).

Keys are converted to signed integers of the same order. The other operands of the sort are gathered
by the sorted positions at the end.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from compiler_core.codegen.triton.module import TritonSource
from compiler_core.codegen.triton.template import emitted, program_id
from compiler_core.codegen.writer import Writer
from compiler_core.ir.sizes import atom, is_multiple
from compiler_core.ir.types import DType
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.sort import Round, Sort
from compiler_core.schedule.gpu.sort import GpuSort

# A word greater than that of every element.
LAST = "0x7fffffffffffffff"
_UPCAST = frozenset({"i8", "i16", "u8", "u16", "bool"})
_PLACE_BITS = 16


def emit_sort(step: Sort, schedule: GpuSort) -> TritonSource:
    """The module of one sort or top-k."""
    printer = Printer(Writer(), step, schedule.blocks)
    return emitted(printer.w, step, schedule, lambda: _BY_STRATEGY[schedule.strategy](printer))


@dataclass(frozen=True)
class Printer:
    """Prints one sort, and has what the passes of a long one share. `blocks` are the constexpr
    arguments; a mask is "" where every element of a block exists."""

    w: Writer
    step: Sort
    blocks: Mapping[str, int] = field(default_factory=dict)

    # -- text

    def line(self, text: str) -> None:
        """Writes a line with the origins of the sort."""
        self.w.line(text, self.step.origins)

    def start(self, length: int) -> str:
        """The offset of the first element of `row`, where rows have `length` elements."""
        inner = self.step.inner
        if inner == 1:
            return f"row * {length}"
        return f"row // {atom(inner)} * {atom(length * inner)} + row % {atom(inner)}"

    def at(self, buffer: BufferParam, start: str, place: str) -> str:
        """The address of the element at `place` of the row that begins at `start`."""
        inner = self.step.inner
        return f"{buffer.name}_ptr + {start} + {place}" + (
            f" * {atom(inner)}" if inner != 1 else ""
        )

    def key(self, key: BufferParam, place: str, mask: str, start: str = "start") -> str:
        """The element's key as an integer of the same width whose order is the wanted one."""
        only = f", mask={mask}, other=0" if mask else ""
        loaded = f"tl.load({self.at(key, start, place)}{only})"
        text = _ordered(key.type.dtype, loaded, self.step.total)
        return f"~{text}" if self.step.descending else text

    def word(self, round_: Round, key: str, low: str) -> str:
        """A key's 32 bits above `low`, as a signed integer of 64 bits."""
        if round_.key.type.dtype.bits < 64:
            return f"{key}.to(tl.int64) << 32 | {low}"
        if round_.shift:
            return f"{key} >> 32 << 32 | {low}"
        return f"({key} << 32) ^ -0x8000000000000000 | {low}"

    def write(self, place: str, rank: str, mask: str) -> None:
        """Writes the results' elements at position `rank`, which are at `place` of the operands."""
        only = f", mask={mask}" if mask else ""
        for result in self.step.results:
            value = place
            if result.source is not None:
                value = f"tl.load({self.at(result.source, 'start', place)}{only})"
            target = self.at(result.out, "target", rank)
            self.line(f"tl.store({target}, {value}{only})")

    # -- strategies

    def counting(self) -> None:
        """The body by counting."""
        step, total = self.step, self.step.rows * self.step.length
        mask = "" if is_multiple(total, self.blocks["BLOCK"]) else "mask"
        self.w.lines(
            f"index = {program_id(self.step)} * BLOCK + tl.arange(0, BLOCK)",
            *([f"mask = index < {atom(total)}"] if mask else []),
            f"row = index // {step.length}",
            f"place = index % {step.length}",
            f"start = {self.start(step.length)}",
        )
        for number, key in enumerate(step.keys):
            self.line(f"key{number} = {self.key(key, 'place', mask)}")
        self.line("rank = tl.zeros((BLOCK,), tl.int32)")
        self.line(f"for begin in range(0, {step.length}, CHUNK):")
        with self.w.indent():
            self.w.line("other = (begin + tl.arange(0, CHUNK))[None, :]")
            is_even = step.length % self.blocks["CHUNK"] == 0
            there = self.masked(
                mask and "mask[:, None]", "" if is_even else f"other < {step.length}"
            )
            if there:
                self.w.line(f"other_mask = {there}")
            self._before("other_mask" if there else "")
            counted = "(other_mask & before)" if there else "before"
            self.line(f"rank += tl.sum({counted}.to(tl.int32), axis=1)")
        self._first_kept(mask)

    def _first_kept(self, mask: str) -> None:
        """Writes the elements of a rank that is kept."""
        step = self.step
        self.w.line(f"target = {self.start(step.pitch)}")
        if step.kept < step.length:
            self.w.line(f"mask = {self.masked(mask, f'rank < {step.kept}')}")
            mask = "mask"
        self.write("place", "rank", mask)

    @staticmethod
    def masked(*tests: str) -> str:
        """The conjunction of those `tests` that are not ""; "" for none."""
        known = [x for x in tests if x]
        return (
            known[0]
            if len(known) == 1
            else " & ".join(x if x.isidentifier() else f"({x})" for x in known)
        )

    def _before(self, mask: str) -> None:
        """Whether another element comes first; of equals, the one that stands first."""
        self.w.line("before = other < place[:, None]")
        for number, key in reversed(list(enumerate(self.step.keys))):
            there = self.key(key, "other", mask, "start[:, None]")
            own = f"key{number}[:, None]"
            self.line(f"other{number} = {there}")
            self.line(f"before = (other{number} < {own}) | ((other{number} == {own}) & before)")

    def bitonic(self) -> None:
        """The body by a bitonic network in registers."""
        step, blocks = self.step, self.blocks
        rows = "" if is_multiple(step.rows, blocks["ROWS"]) else f"row < {atom(step.rows)}"
        there = self.masked(rows, "" if step.length == blocks["BLOCK"] else f"rank < {step.length}")
        mask = "mask" if there else ""
        self.w.lines(
            f"row = ({program_id(self.step)} * ROWS + tl.arange(0, ROWS))[:, None]",
            "rank = tl.arange(0, BLOCK)[None, :]",
            *([f"mask = {there}"] if mask else []),
            f"start = {self.start(step.length)}",
        )
        place, low = "rank", "rank"
        for round_ in step.rounds:
            self.line(f"key = {self.key(round_.key, place, mask)}")
            self.line(f"word = {self.word(round_, 'key', low)}")
            padded = f"tl.where(mask, word, {LAST})" if mask else "word"
            self.line(f"word = tl.sort({padded}, dim=1)")
            self.line("place = word & 0xffff")
            place, low = "place", f"rank << {_PLACE_BITS} | place"
        self._first_kept(mask)

    def selection(self) -> None:
        """The body by selection of the first elements."""
        step, (round_,) = self.step, self.step.rounds
        self.w.line(f"row = {program_id(self.step)}")
        self.w.line(f"start = {self.start(step.length)}")
        self.line(f"best = tl.full((KEPT,), {LAST}, tl.int64)")
        if step.kept & (step.kept - 1):
            self.w.line(f"# {step.kept} of them are wanted; the others never lose their place.")
            self.w.line(
                f"best = tl.where(tl.arange(0, KEPT) < {step.kept}, best, -0x8000000000000000)"
            )
        self.w.line("worst = tl.max(best, axis=0)")
        self.line(f"for begin in range(0, {step.length}, BLOCK):")
        with self.w.indent():
            self.w.line("place = begin + tl.arange(0, BLOCK)")
            mask = "" if step.length % self.blocks["BLOCK"] == 0 else "mask"
            if mask:
                self.w.line(f"mask = place < {step.length}")
            self.line(f"key = {self.key(round_.key, 'place', mask)}")
            word = self.word(round_, "key", "place")
            self.line(f"word = tl.where(mask, {word}, {LAST})" if mask else f"word = {word}")
            self._take()
        self._ranks()

    def _take(self) -> None:
        """While the first of the block comes before the last of the best, it takes its place."""
        self.line("first = tl.min(word, axis=0)")
        self.line("while first < worst:")
        with self.w.indent():
            self.line("slot = tl.min(tl.where(best == worst, tl.arange(0, KEPT), KEPT), axis=0)")
            self.line("best = tl.where(tl.arange(0, KEPT) == slot, first, best)")
            self.line(f"word = tl.where(word == first, {LAST}, word)")
            self.line("worst = tl.max(best, axis=0)")
            self.line("first = tl.min(word, axis=0)")

    def _ranks(self) -> None:
        step = self.step
        spare = (1 << max(0, step.kept - 1).bit_length()) - step.kept
        own = f" - {spare}" if spare else ""
        self.line("rank = tl.sum((best[None, :] < best[:, None]).to(tl.int32), axis=1)" + own)
        self.line("place = best & 0xffffffff")
        self.w.line(f"target = {self.start(step.pitch)}")
        if spare:
            self.w.line("mask = rank >= 0")
        self.write("place", "rank", "mask" if spare else "")


def _ordered(dtype: DType, x: str, total: bool) -> str:
    """A signed integer that is ordered as `x` is; with `total`, as the bits of a float."""
    if dtype.is_float:
        function = "total" if total else "ordered"
        return (
            f"{function}_f64({x})" if dtype.name == "f64" else f"{function}_f32({_f32(dtype, x)})"
        )
    if dtype.name in ("u32", "u64"):
        return f"ordered_{dtype}({x})"
    return f"{x}.to(tl.int32)" if dtype.name in _UPCAST else x


def _f32(dtype: DType, x: str) -> str:
    return x if dtype.name == "f32" else f"{x}.to(tl.float32)"


# By strategy.
_BY_STRATEGY: Mapping[str, Callable[[Printer], None]] = {
    "counting": Printer.counting,
    "bitonic": Printer.bitonic,
    "selection": Printer.selection,
}
