"""How many elements of a float sum are added one after the other before the sum goes on in f64.

Each addition rounds, by up to half a unit of the sum so far, and equal numbers are rounded the same
way each time: 200 of them, one after the other, were off by 36 units, where torch's pairwise sums
are off by 5.
"""

from collections.abc import Sequence
from math import ceil

from compiler_core.ir import ops
from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.sizes import at_most, is_multiple
from compiler_core.ir.sizes import product as product_of
from compiler_core.ir.types import F32
from compiler_core.kernel.effects import Effect, Phase, Reduce, Scan
from compiler_core.kernel.kernel import Compute, Kernel, Load, roots
from compiler_core.schedule.cpu.schedule import planned_for, register

# How many elements of a row are added in f32, up to half as many more. A vector has at least 8
# sums, to each of which 32 elements are added. Blocks are equal: a rest of 16 elements costs as
# much as a whole block.
ROW_BLOCK, _VECTORS = 256, 16
# How many f32 values are added to a column's sum one after the other; each is an element of one
# row, or the sum of so many rows that are added in a register first: sums of 1000 rows of 300
# columns took 33 us so on one core of a Zen 1, and 49 row by row.
COLUMN_RUN, _TOGETHER = 32, 8
# The most arithmetic at a point with which so many rows fit in a processor's registers.
_MOST_WORK = 6


def row_block(kernel: Kernel, combined: Sequence[Reduce | Scan]) -> int:
    """The `sum_block` of a reduction over rows, in equal blocks; 0 for a short row."""
    length = planned_for(kernel.reduce[-1], ROW_BLOCK)
    blocks = max(1, round(length / ROW_BLOCK))
    even = ceil(length / (blocks * _VECTORS)) * _VECTORS
    return even if sum_block(kernel, combined, ROW_BLOCK * 3 // 2) else 0


def sum_block(kernel: Kernel, combined: Sequence[Reduce | Scan], most: int) -> int:
    """How many elements of a float sum are added in f32 before the sum goes on in f64: `most`, or 0
    if the sum has about as few elements or there is no such sum."""
    long = not at_most(product_of(a.extent for a in kernel.reduce), most)
    return most if long and any(_is_upcast(kernel, e) for e in combined) else 0


def rows_together(kernel: Kernel, phase: Phase) -> int:
    """How many rows of a block of columns are added in registers before their sum is added to the
    block's; 0 if each row is added by itself."""
    inside = [e for e in phase.effects if kernel.is_tile_effect(e)]
    many = is_multiple(kernel.reduce[-1].extent, _TOGETHER)
    sums = all(isinstance(e, Reduce) and _is_upcast(kernel, e) for e in inside)
    return _TOGETHER if many and inside and sums and _is_light(kernel, inside) else 0


def _is_light(kernel: Kernel, effects: Sequence[Effect]) -> bool:
    """Whether what is added is little work and read without a mask or an index."""
    needed = [d for d in kernel.needed(roots(*effects)) if d.name in kernel.tile_values]
    loads = [d for d in needed if isinstance(d, Load)]
    plain = all(d.mask is None and not d.access.indirect for d in loads)
    work = sum(ops.OPS[d.op].cost for d in needed if isinstance(d, Compute))
    return plain and work + len(loads) <= _MOST_WORK


def _is_upcast(kernel: Kernel, e: Reduce | Scan) -> bool:
    return MONOIDS[e.monoid].rounds and register(kernel.dtype_of(e.args[0])) is F32


def reduces(effects: Sequence[Effect]) -> list[Reduce]:
    """The effects that combine values along axes, without scans and stores."""
    return [e for e in effects if isinstance(e, Reduce)]
