"""CPU schedules for sorting rows, and the modelled cost of one row.

    network    Batcher's odd-even merge sort, whose comparisons do not depend on the data: the lanes
               of a vector hold neighbouring rows, and one instruction compares a pair of each
    radix      one row at a time, a digit of 8 bits at a time from the least significant, skipping
               digits in which all elements agree
    selection  keeps the first k so far in order, and skips a vector of elements if none of them
               comes before the last of these
    collection keeps what came before the k-th of those seen, and puts it in order where its place
               is full: the first k stay, and the k-th of them is what is compared with next

The figures are those of one core of a server with AVX-512, measured on rows of 8 to 10^6 random
f32.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, log, log2

from compiler_core.ir.types import BF16, F16, DType

# The rows that a network sorts at once: 64-bit words in a vector of 512 bits.
LANES = 8
# A network keeps the words of its rows on the stack, 64 bytes for each position.
LONGEST_NETWORK = 4096
# The bits of a radix sort's digit. Of 4, 6, 8, 11 and 16, measured on 32 random bits, 8 is the
# fastest in rows of up to 256, and takes at most 1.3 times as long as the fastest in longer ones:
# 11, with three passes instead of four, but three times the time in rows of 64.
DIGIT_BITS = 8
# The most elements that a selection keeps: it moves up to as many words for each element that it
# takes, half a microsecond's worth.
MOST_SELECTED = 64
# The capacity of a collection as a multiple of k; it has two such arrays on the stack.
_COLLECTED = 4
LEAST_COLLECTED = 512
MOST_COLLECTED = 4096
# The words that a selection or a collection tests together before it tests each.
SELECTED_BLOCK = 64
# Each piece of the rows has memory for the words of one row, twice; together not more than this.
RADIX_BYTES = 64 * 1024 * 1024
MOST_PIECES = 16

# Times in nanoseconds.
_COMPARED = 1.1  # a comparison of a network, of LANES rows
_WORD = 1.0  # a word made, and an element written for it
_DIGIT = 1.1  # a word counted and moved by one digit
_COUNTS = 60.0  # the counts of one digit of a row
_SCANNED = 0.2  # an element that is passed over
_TAKEN = 10.0  # an element that is taken
_SHIFTED = 0.6  # one of the k, on average, to make room for it
_LIBRARY = 4.5  # an element, for each bit of its place

# The range of a key's 32 bits in which elements can differ: 16-bit floats are mapped as f32.
_BITS = {BF16.name: (16, 32), F16.name: (8, 32)}


@dataclass(frozen=True, slots=True)
class CpuSort:
    """`pieces`: the rows of a radix sort are divided into so many parts, each with memory of its
    own. `block`: the words that a selection or a collection tests at once before it looks at each.
    `words`: the capacity of a collection."""

    strategy: str
    threads: bool
    reason: str
    pieces: int = 1
    block: int = 0
    words: int = 0

    @property
    def parameters(self) -> Mapping[str, int | str]:
        more = {"block": self.block, "words": self.words}
        threads = {"threads": "all"} if self.threads else {}
        return {**threads, "pieces": self.pieces, **{n: v for n, v in more.items() if v}}


def significant_bits(dtype: DType) -> tuple[int, int]:
    """The range of bits, first and end, in which 32 bits of a key can differ."""
    return _BITS.get(dtype.name, (0, min(dtype.bits, 32)))


def network_ns(length: int, rounds: int) -> float:
    """Nanoseconds for a row of `length` elements in a sorting network, with other rows in the lanes
    of the same vector. An odd-even merge sort of 2^s has (s^2 - s + 4) 2^(s - 2) - 1 comparisons
    (Knuth, "The Art of Computer Programming", volume 3, section 5.3.4)."""
    stages = max(0, length - 1).bit_length()
    pairs = max(0, (stages * stages - stages + 4) * 2**stages // 4 - 1)
    return rounds * (pairs * _COMPARED / LANES + length * _WORD)


def radix_ns(length: int, rounds: list[DType]) -> float:
    """Nanoseconds for a row of a radix sort, by the types of the keys that its rounds read."""
    digits = 0
    for dtype in rounds:
        low, end = significant_bits(dtype)
        digits += -(-(end - low) // DIGIT_BITS)
    return digits * (length * _DIGIT + _COUNTS) + len(rounds) * length * _WORD


def selection_ns(length: int, kept: int) -> float:
    """Nanoseconds for the first `kept` of a row of random elements, of which k (1 + ln(n / k)) are
    inserted on the way, the expected number of records."""
    taken = kept * (1 + log(max(1.0, length / max(1, kept))))
    return length * _SCANNED + taken * (_TAKEN + kept * _SHIFTED)


def collected(kept: int) -> int:
    """The capacity in words of a collection of the first `kept` elements."""
    words = max(LEAST_COLLECTED, _COLLECTED * kept)
    return -(-words // SELECTED_BLOCK) * SELECTED_BLOCK


def collection_ns(length: int, kept: int, key: DType) -> float:
    """Nanoseconds for a row of random elements. Between two times that the collection is full, the
    number of elements seen grows by the factor capacity / `kept`; blocks with an element that is
    taken are visited twice."""
    size = collected(kept)
    times = 1 + ceil(log(max(1.0, length / size), size / max(1, kept)))
    blocks = min(length / SELECTED_BLOCK, times * size)
    ordered = times * radix_ns(size, [key])
    return ordered + length * _SCANNED + blocks * SELECTED_BLOCK * _WORD


def library_ns(length: int, keys: int) -> float:
    """Nanoseconds for a row of `length` elements sorted by the framework, once for each key."""
    return keys * length * log2(max(2, length)) * _LIBRARY
