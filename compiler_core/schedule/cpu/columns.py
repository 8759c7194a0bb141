"""The loops of a block of neighbouring columns, whose rows are visited one after the other."""

from collections.abc import Sequence

from compiler_core.ir.sizes import at_most, hint, product
from compiler_core.kernel.effects import Phase, Scan
from compiler_core.kernel.kernel import Kernel, Load, roots
from compiler_core.schedule.cpu.schedule import LOOKED_UP, Inner
from compiler_core.schedule.cpu.sums import COLUMN_RUN, reduces, rows_together, sum_block

# gcc unrolls loops over at most so many points, and accumulators stay in registers.
_FEW = 8
# Rows closer than this are on one page, and prefetched by the processor; for fewer rows than this,
# prefetching does not pay; and with more loads than this a core has all of its requests in flight.
_FAR_BYTES, _FEW_ROWS, _MOST_AHEAD = 2048, 16, 4
# A smaller table stays in the second-level cache.
_TABLE_BYTES = 256 * 1024


def down_columns(kernel: Kernel, block: int) -> tuple[Inner, ...]:
    """The inner loops of each phase, for `block` neighbouring columns at once."""
    return tuple(_by_column(kernel, phase, _ahead(kernel, phase, block)) for phase in kernel.phases)


def _by_column(kernel: Kernel, phase: Phase, ahead: tuple[str, ...]) -> Inner:
    """Rows that lie far apart share the places of the first-level cache: these are added one by
    one. Columns of f32[512,512] took 28 % longer by eight rows together, of f32[16,128,256] 23 %
    less long."""
    if _is_written_out(kernel, phase):
        return Inner("written out")
    together = 0 if ahead else rows_together(kernel, phase)
    block = sum_block(kernel, reduces(phase.effects), COLUMN_RUN * max(1, together))
    return Inner(sum_block=block, together=together, ahead=ahead)


def _is_written_out(kernel: Kernel, phase: Phase) -> bool:
    """Whether the reduce axes have so few points that all are in one loop along the block. Not
    where masks guard loads: vectors of these would read what they keep from."""
    inside = [e for e in phase.effects if kernel.is_tile_effect(e)]
    masked = any(isinstance(d, Load) and d.mask for d in kernel.defs)
    plain = inside and not masked and not any(isinstance(e, Scan) for e in inside)
    return bool(plain) and at_most(product(a.extent for a in kernel.reduce), _FEW)


def _ahead(kernel: Kernel, phase: Phase, block: int) -> tuple[str, ...]:
    """The loads of a phase whose rows lie so far apart that no processor foresees the next one."""
    last, down = kernel.parallel[-1].name, kernel.reduce[-1]
    inside = roots(*(e for e in phase.effects if kernel.is_tile_effect(e)))
    found = _looked_up(kernel, inside)
    if down.hint < _FEW_ROWS:
        return found
    far = {
        (d.buffer, d.access): d.name
        for d in kernel.needed(inside)
        if isinstance(d, Load) and d.mask is None and not d.access.indirect
        and d.access.stride(last) == 1
        and hint(d.access.stride(down.name)) * d.dtype.bytes >= _FAR_BYTES
        and hint(d.access.stride(down.name)) > block
    }  # fmt: skip
    found += tuple(far.values())
    return found if len(found) <= _MOST_AHEAD else ()


def _looked_up(kernel: Kernel, inside: Sequence[str]) -> tuple[str, ...]:
    """The loads of rows of a large table, each at a place that is computed for all its columns."""
    last, down = kernel.parallel[-1].name, kernel.reduce[-1]
    if kernel.scans or down.hint < 2 * LOOKED_UP:
        return ()
    across, moving = kernel.varying([last]), kernel.varying([down.name])
    sizes = {b.name: b.type.at_hint().bytes for b in kernel.buffers}
    found = {
        (d.buffer, d.access): d.name
        for d in kernel.needed(inside)
        if isinstance(d, Load) and d.mask is None and d.access.stride(last) == 1
        and sizes[d.buffer] >= _TABLE_BYTES
        and moving.intersection(d.access.values) and not across.intersection(d.access.values)
    }  # fmt: skip
    return tuple(found.values())
