"""Which outputs are written by non-temporal stores, past the caches
(docs/decisions/0063-past-the-caches.md).

An ordinary store reads its cache line first, which takes as long as writing it. A non-temporal
store writes whole lines without reading them, and evicts nothing. It pays for an output that is too
large to stay in the caches until it is read; not for a small one, which its reader would miss
there, nor where computing takes longer than moving.
"""

from collections.abc import Iterator

from compiler_core.ir.sizes import hint
from compiler_core.kernel.effects import Phase, Store
from compiler_core.kernel.kernel import Axis, Kernel, Load
from compiler_core.schedule.cpu.model import waits_for_memory
from compiler_core.schedule.cpu.schedule import CpuSchedule
from compiler_core.schedule.targets import CpuTarget

# The fewest adjacent bytes that are worth an array of their own: four cache lines.
_LEAST_RUN_BYTES = 256


def streamed(kernel: Kernel, way: CpuSchedule, target: CpuTarget) -> tuple[str, ...]:
    """The outputs of at least `target.rates.streamed` bytes whose loops write whole runs of
    neighbours; none where that is 0."""
    least, figures = target.rates.streamed, target.figures
    if not least or (way.strategy == "flat" and not waits_for_memory(kernel, way, figures)):
        return ()
    read = {d.buffer for d in kernel.defs if isinstance(d, Load)}
    read |= {k.place.buffer for k in way.keep if k.place}
    # Lines that were read to be written over are there already.
    own = (b for b in kernel.buffers if b.role == "out" and not b.over)
    types = {b.name: b.type.at_hint() for b in own}
    found = []
    for axis, e in _stores(kernel, way):
        type_ = types.get(e.buffer)
        if type_ is None or e.buffer in read or type_.bytes < least:
            continue
        if _is_run(e, axis) and _longest(way, axis) * type_.dtype.bytes >= _LEAST_RUN_BYTES:
            found.append(e.buffer)
    return tuple(name for name in found if found.count(name) == 1)


def _longest(way: CpuSchedule, axis: Axis) -> int:
    """The points of an axis that are one loop: of a loop that is split, the longest part's."""
    ends = [part.range for nest in way.nests for part in nest.parts]
    return max((hint(high - low) for low, high in ends), default=axis.hint)


def _stores(kernel: Kernel, way: CpuSchedule) -> Iterator[tuple[Axis, Store]]:
    """Each store of a loop that only stores, with the axis of that loop."""
    if way.strategy == "flat" and kernel.parallel:
        yield from ((kernel.parallel[-1], e) for e in kernel.stores)
    elif way.strategy == "rows" and len(kernel.reduce) == 1:
        (axis,) = kernel.reduce
        yield from ((axis, e) for phase in kernel.phases for e in only_stores(kernel, phase))


def only_stores(kernel: Kernel, phase: Phase) -> list[Store]:
    """The stores of a phase's loop over the reduce axes, if there is nothing else in it."""
    inside = [e for e in phase.effects if kernel.is_tile_effect(e)]
    stores = [e for e in inside if isinstance(e, Store)]
    return stores if len(stores) == len(inside) else []


def _is_run(e: Store, axis: Axis) -> bool:
    plain = e.mode == "set" and e.mask is None and not e.access.indirect
    return plain and hint(e.access.stride(axis.name)) == 1
