"""CPU schedules of attention with an online softmax (schedule/gpu/attention.py has the sources): a
tile of query rows meets the keys a tile at a time, or a row does so by itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from compiler_core.ir.sizes import hint
from compiler_core.kernel.attention import Attention

STRATEGY: Literal["attention"] = "attention"


@dataclass(frozen=True, slots=True)
class CpuAttentionSchedule:
    """Tiles of `rows` queries, which are vector lanes, by `keys` keys, which are a loop; with one
    row, lanes are elements of a key, of the scores and of a value. `threads`: whether tiles of rows
    are divided among threads."""

    rows: int
    keys: int
    threads: bool
    reason: str
    strategy: str = STRATEGY

    @property
    def parameters(self) -> Mapping[str, int | str]:
        threads = {"threads": "all"} if self.threads else {}
        return {**threads, "rows": self.rows, "keys": self.keys}


# Rows of a tile: two columns of the register tiles of codegen/c, one, or half a one.
_ROWS = (16, 32, 64)
_KEYS = 64
_KEYS_OF_A_ROW = 256
# A tile of keys is a multiple of the rows of a register tile.
_STEP = 8


def choose_cpu_attention(whole: Attention, threads: bool) -> CpuAttentionSchedule:
    """Tiles whose queries, keys, values, scores and results together fit in the second-level
    cache."""
    rows = next((n for n in _ROWS if hint(whole.rows) <= n), _ROWS[-1])
    keys = min(_KEYS, -(-hint(whole.keys) // _STEP) * _STEP)
    reason = f"tiles of {rows} rows by {keys} keys, whose scores stay in cache"
    if whole.reach is not None:
        reason += "; keys that the mask hides from a whole tile are skipped"
    return CpuAttentionSchedule(rows, keys, threads, reason)


def by_rows(whole: Attention) -> CpuAttentionSchedule | None:
    """The schedule that computes one query row at a time; None if there are enough rows to fill the
    lanes of a vector."""
    if hint(whole.rows) >= _ROWS[0]:
        return None
    reason = "few rows: one at a time, which reads keys and values as they are in memory"
    return CpuAttentionSchedule(1, _KEYS_OF_A_ROW, False, reason)


def visited(whole: Attention, rows: int, keys: int) -> int:
    """The number of (row, key) pairs that tiles of `rows` by `keys` compute for one head in the
    captured call; tiles that a mask hides completely are skipped."""
    tiles = range(0, hint(whole.rows), rows)
    return sum(rows * -(-_end(whole, first, rows) // keys) * keys for first in tiles)


def _end(whole: Attention, first: int, rows: int) -> int:
    """How many keys the tile of rows that begins with `first` goes over."""
    keys = hint(whole.keys)
    if whole.reach is None:
        return keys
    return min(keys, max(1, min(first + rows, hint(whole.rows)) + whole.reach))
