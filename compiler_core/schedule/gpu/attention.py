"""GPU schedules of attention with an online softmax: a tile of query rows meets the keys a tile at
a time.

For each row it keeps the largest score so far, the sum of the weights relative to it, and the
weighted sum of the values: the monoid `online_softmax` with a vector beside it (Milakov and
Gimelshein, "Online normalizer calculation for softmax", 2018; Dao et al., "FlashAttention", 2022).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal

from compiler_core.ir.sizes import Dim, hint
from compiler_core.kernel.attention import Attention

STRATEGY: Literal["attention"] = "attention"


@dataclass(frozen=True, slots=True)
class GpuAttentionSchedule:
    """One program for `block_rows` of the `rows` query rows of one of `heads` heads, in a loop over
    tiles of `block_keys` keys. `block_depth` and `block_width` are the sizes of a key and of a
    value, rounded up to powers of two."""

    heads: Dim
    rows: Dim
    block_rows: int
    block_keys: int
    block_depth: int
    block_width: int
    num_warps: int
    reason: str
    strategy: str = STRATEGY

    @property
    def cover(self) -> tuple[tuple[Dim, int], ...]:
        """(extent, tile size) of each dimension; the grid has a program for each combination of
        tiles."""
        return ((self.rows, self.block_rows), (self.heads, 1))

    @property
    def grid(self) -> tuple[int, int, int]:
        """The launch grid at the sizes of the captured call."""
        return (prod(-(-hint(extent) // block) for extent, block in self.cover), 1, 1)

    @property
    def blocks(self) -> Mapping[str, int]:
        """The constexpr arguments of the Triton function."""
        return {
            "ROWS": self.block_rows, "KEYS": self.block_keys,
            "DEPTH": self.block_depth, "WIDTH": self.block_width,
        }  # fmt: skip

    @property
    def parameters(self) -> Mapping[str, int | str]:
        blocks = {name.lower(): value for name, value in self.blocks.items()}
        return {**blocks, "num_warps": self.num_warps, "programs": self.grid[0]}


# The smallest side of a tile that tl.dot accepts.
_LEAST = 16
# Rows, keys and warps of a program, by the bytes of an element and the longest row: the largest
# tiles that compile for sm_90 and gfx942 without spills. f32 is multiplied without matrix units,
# with operands in registers.
_TILES = {
    2: ((64, (128, 64, 4)), (128, (128, 32, 8)), (256, (64, 32, 8))),
    4: ((64, (32, 32, 8)), (128, (16, 16, 8))),
}


def fits_gpu(whole: Attention) -> bool:
    """Whether there is a tile size for keys and values of this type and size."""
    return any(longest >= _longest(whole) for longest, _ in _TILES[whole.dtype.bytes])


def choose_gpu_attention(whole: Attention) -> GpuAttentionSchedule:
    """The schedule of an attention that `fits_gpu`."""
    known = _TILES[whole.dtype.bytes]
    rows, keys, warps = next(t for longest, t in known if longest >= _longest(whole))
    rows, keys = (
        max(_LEAST, min(n, _up(hint(m)))) for n, m in ((rows, whole.rows), (keys, whole.keys))
    )
    depth, width = (max(_LEAST, _up(n)) for n in (whole.depth, whole.width))
    reason = (
        f"a program has {rows} rows and goes over {keys} keys at a time; scores stay in registers"
    )
    return GpuAttentionSchedule(whole.heads, whole.rows, rows, keys, depth, width, warps, reason)


def _longest(whole: Attention) -> int:
    return max(whole.depth, whole.width)


def _up(n: int) -> int:
    return 1 << max(0, n - 1).bit_length()
