"""The flat walk: no reduction."""

from math import prod

from compiler_core.codegen.c.body import VECTOR_EXTENT, Body
from compiler_core.codegen.c.loops import collapse, write
from compiler_core.schedule.cpu import MANY_POINTS, TILE, CpuSchedule


def flat(body: Body, schedule: CpuSchedule) -> None:
    """Threads share the outer axes; where these have few points, the last one."""
    kernel = body.kernel
    if not kernel.parallel:
        write(body, [e for s in kernel.phases for e in s.effects], {})
        return
    if schedule.tile:
        return _tiled(body, schedule)
    *outer, last = kernel.parallel
    many = prod(a.extent for a in outer) >= MANY_POINTS
    if schedule.threads and many:
        body.pragma(f"parallel for{collapse(len(outer))} num_threads(threads)")
    with body.loops(outer):
        if schedule.threads and not many:
            body.pragma("parallel for simd num_threads(threads)")
        elif last.extent >= VECTOR_EXTENT:
            body.pragma("simd")
        with body.loop(last):
            write(body, [e for s in kernel.phases for e in s.effects], {})


def _tiled(body: Body, schedule: CpuSchedule) -> None:
    """Threads share tiles of two axes."""
    kernel, last = body.kernel, body.kernel.parallel[-1]
    (across,) = (a for a in kernel.parallel if a.name == schedule.tile)
    outer = [a for a in kernel.parallel if a is not last and a is not across]
    if schedule.threads:
        body.pragma(f"parallel for{collapse(len(outer) + 2)} num_threads(threads)")
    with body.loops(outer), body.tiles(across, TILE[0]), body.tiles(last, TILE[1]):
        down, along = body.tile_end(across, TILE[0]), body.tile_end(last, TILE[1])
        with body.loop(across, f"{across.name}_tile", down):
            body.pragma("simd")
            with body.loop(last, f"{last.name}_tile", along):
                write(body, [e for s in kernel.phases for e in s.effects], {})
