"""GPU schedules for sorting rows, and their modelled cost in microseconds.

    counting   the position of an element is the number of elements before it: each is compared
               with its whole row, and programs exchange nothing
    bitonic    a program sorts whole rows, padded to a power of two, in registers (Batcher's
               bitonic network)
    selection  a program reads a row in blocks and keeps the first k so far; a block without an
               element before the last of these is skipped
    merge      several launches: blocks are sorted as by bitonic, and then merged

None of it has been measured. Costs are instructions of a lane; a vector unit executes one per
cycle, which its peak rate counts as two operations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

from compiler_core.ir.sizes import Dim, hint
from compiler_core.schedule.gpu.choice import up
from compiler_core.schedule.targets import GpuTarget

Grid = tuple[int, int, int]

MERGE = "merge"
# The longest row: a word in registers has 64 bits, and 16 words a thread leave room for two of
# each.
LONGEST_BITONIC = 4096
# The elements of the rows that one program sorts together.
BITONIC_TILE = 1024
WORDS_A_THREAD = 16
COUNTING_BLOCK = 128
# The most bits of keys that a thread compares at a time: more need more registers than it has.
COUNTING_BITS = 512
SELECTION_BLOCK = 2048
# The most elements that a selection keeps, each of which costs two reductions over the program.
MOST_SELECTED = 64

_COUNTED = 5.0  # instructions to compare two elements and count
_EXCHANGED = 20.0  # to compare a word with one of another thread, and keep one of both
_BLOCK_US = 0.5  # to load a block of a row and find its first
_TAKEN_US = 0.4
# Programs of a selection that run on one processor at the same time.
_RESIDENT = 4
# The elements of a block that is sorted in registers before runs are merged: as many as
# BITONIC_TILE.
MERGE_BLOCK = 1024
# The words that a program of a merge places: four for each thread, whose searches wait for memory
# together.
MERGED = 512
_MERGE_WARPS = 4
# How many runs are merged at once: each further run costs each word another search, and each
# further pass costs a launch and two transfers. Where at most SHORT_RUN elements of a run are kept,
# searches are few.
MERGED_WAYS, SHORT_WAYS, SHORT_RUN = 4, 16, 64
_PROBED = 12.0  # to load an element of another run and compare it
_PROBE_US = 0.13  # to wait for it: 200 cycles of the L2 cache (schedule/gpu/tiles.py)
# The framework's segmented sort: elements in a microsecond, and its launches.
_LIBRARY_RATE = 5e3
_LIBRARY_US = 30.0


@dataclass(frozen=True, slots=True)
class GpuSort:
    """One launch, with one program for `each` of `extent` elements or rows. `blocks` are the
    constexpr arguments of the Triton function."""

    strategy: str
    extent: Dim
    each: int
    blocks: Mapping[str, int]
    num_warps: int
    reason: str

    @property
    def cover(self) -> tuple[tuple[Dim, int], ...]:
        """The extent that is divided among programs, and how much of it each has."""
        return ((self.extent, self.each),)

    @property
    def programs(self) -> int:
        """The number of programs in the captured call."""
        return -(-hint(self.extent) // self.each)

    @property
    def grid(self) -> Grid:
        return (self.programs, 1, 1)

    @property
    def parameters(self) -> Mapping[str, int | str]:
        sizes = {name.lower(): size for name, size in self.blocks.items()}
        return {**sizes, "num_warps": self.num_warps, "programs": self.programs}


def counting(rows: Dim, length: int, key_bits: int) -> GpuSort:
    """The schedule for rows of `length` elements with keys of `key_bits` bits in all."""
    chunk = max(1, down(COUNTING_BITS // key_bits))
    blocks = {"BLOCK": COUNTING_BLOCK, "CHUNK": min(chunk, up(length))}
    reason = f"each of {length} elements counts those that come before it"
    return GpuSort("counting", rows * length, COUNTING_BLOCK, blocks, 4, reason)


def bitonic(rows: Dim, length: int) -> GpuSort:
    """The schedule for rows of `length` elements; short rows are sorted several at a time."""
    width = max(2, up(length))
    many = max(1, min(up(hint(rows)), BITONIC_TILE // width))
    warps = max(1, min(16, many * width // (32 * WORDS_A_THREAD)))
    words = f"{many} rows" if many > 1 else "one row"
    reason = f"a program sorts {words} of {width} words in registers"
    return GpuSort("bitonic", rows, many, {"ROWS": many, "BLOCK": width}, warps, reason)


def selection(rows: Dim, length: int, kept: int) -> GpuSort:
    """The schedule for the first `kept` elements of rows of `length`."""
    blocks = {"BLOCK": min(SELECTION_BLOCK, max(32, up(length))), "KEPT": up(kept)}
    warps = max(1, blocks["BLOCK"] // 512)
    reason = f"a program keeps the first {kept} of a row read by blocks"
    return GpuSort("selection", rows, 1, blocks, warps, reason)


def ways(kept: int) -> int:
    """How many runs a pass merges into one, where the first `kept` elements of a row are wanted."""
    return SHORT_WAYS if kept <= SHORT_RUN else MERGED_WAYS


def blocks(rows: Dim, runs: int, block: int) -> GpuSort:
    """The schedule of the first launch of a merge: `runs` blocks in each of `rows` rows."""
    warps = max(1, min(16, block // (32 * WORDS_A_THREAD)))
    reason = f"a program sorts a block of {block} elements of a row in registers"
    return GpuSort(MERGE, rows * runs, 1, {"BLOCK": block}, warps, reason)


def merge(words: Dim, count: int) -> GpuSort:
    """The schedule of a further launch of a merge, over `words` words of all rows: each `count`
    runs become one."""
    reason = f"each word finds its place among {count} sorted runs by binary searches"
    return GpuSort(MERGE, words, MERGED, {"BLOCK": MERGED}, _MERGE_WARPS, reason)


def merge_us(words: int, searched: int, probes: int, target: GpuTarget) -> float:
    """Microseconds of a pass in which each word is looked for in `searched` runs."""
    threads = target.warp_size * _MERGE_WARPS
    concurrent = target.processors * (target.threads // threads) * MERGED
    waves = -(-words // concurrent)
    waiting = waves * searched * probes * _PROBE_US
    return max(words * searched * probes * _PROBED / _rate(target), waiting)


def counting_us(size: tuple[int, int], keys: int, target: GpuTarget) -> float:
    """Microseconds of rows * length^2 * keys comparisons; `size` is (rows, length)."""
    rows, length = size
    return rows * length * length * keys * _COUNTED / _rate(target)


def bitonic_us(size: tuple[int, int], rounds: int, target: GpuTarget) -> float:
    """Microseconds of n log2(n) (log2(n) + 1) / 2 exchanges for each row, n its length rounded up
    to a power of two, and each of `rounds` rounds of 32 key bits; `size` is (rows, length)."""
    rows, length = size
    stages = up(length).bit_length() - 1
    steps = stages * (stages + 1) // 2
    return rows * up(length) * steps * rounds * _EXCHANGED / _rate(target)


def selection_us(size: tuple[int, int], kept: int, target: GpuTarget) -> float:
    """Microseconds to read the blocks of each row, and to take k (1 + ln(length / k)) elements, the
    expected number in random order; `size` is (rows, length)."""
    rows, length = size
    blocks = -(-length // SELECTION_BLOCK)
    taken = kept * (1 + log(max(1.0, length / max(1, kept))))
    waves = -(-rows // (target.processors * _RESIDENT))
    return waves * (blocks * _BLOCK_US + taken * _TAKEN_US)


def library_us(elements: int, keys: int) -> float:
    """Microseconds of the framework's segmented sort of `elements` elements by `keys` keys."""
    return keys * (elements / _LIBRARY_RATE + _LIBRARY_US)


def down(n: int) -> int:
    """The greatest power of two that is at most `n`."""
    return 1 << max(0, n.bit_length() - 1)


def _rate(target: GpuTarget) -> float:
    """Instructions of all lanes, a microsecond."""
    return target.f32_flops / 2 / 1e6
