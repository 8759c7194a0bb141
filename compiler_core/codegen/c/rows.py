"""The rows strategy: one point of the parallel axes at a time, its reduce axes in vectors."""

from collections.abc import Sequence

from compiler_core.codegen.c.body import Body, Scope
from compiler_core.codegen.c.keeper import Keeper
from compiler_core.codegen.c.lanes import reduce_loops
from compiler_core.codegen.c.loops import Into, accumulators, collapse, hoist, write
from compiler_core.codegen.c.scans import Scans
from compiler_core.codegen.c.streams import streaming
from compiler_core.kernel.effects import Effect, Phase, Reduce, Scan
from compiler_core.schedule.cpu.schedule import CpuSchedule, Inner
from compiler_core.schedule.cpu.streamed import only_stores


def rows(body: Body, schedule: CpuSchedule) -> None:
    """Prints the kernel; threads share the points, and each point runs the phases in order."""
    kernel = body.kernel
    if schedule.threads and kernel.parallel:
        body.pragma(f"parallel for{collapse(len(kernel.parallel))} num_threads(threads)")
    with body.loops(kernel.parallel):
        keeper = Keeper(body, schedule.keep)
        scope: Scope = {}
        for phase, inner in zip(kernel.phases, schedule.inner, strict=True):
            _row_phase(body, phase, inner, scope, keeper, schedule)


def _row_phase(
    body: Body,
    phase: Phase,
    inner: Inner,
    scope: Scope,
    keeper: Keeper,
    schedule: CpuSchedule,
) -> None:
    inside = [e for e in phase.effects if body.kernel.is_tile_effect(e)]
    if inside:
        hoist(body, inside, scope, keeper.filled)
        reduces = [e for e in inside if isinstance(e, Reduce)]

        def point(effects: Sequence[Effect], known: Scope, into: Into) -> None:
            tile = scope | known
            keeper.fetch(effects, tile)
            write(body, effects, tile, into, keeper.fill)

        if any(e.buffer in schedule.streamed for e in only_stores(body.kernel, phase)):
            (axis,) = body.kernel.reduce
            whole = ("0", str(axis.extent))
            with streaming(body, inside, schedule, axis, whole) as ends:
                body.pragma("simd")
                with body.innermost(axis, *ends):
                    point(inside, {}, {})
            keeper.phase_ends()
            return write(body, [e for e in phase.effects if e not in inside], scope)
        with accumulators(body, reduces, scope, inner) as names:
            if any(isinstance(e, Scan) for e in inside):
                Scans(body, inner, inside, names).write(point)
            else:
                reduce_loops(body, inner, inside, names, lambda some, into: point(some, {}, into))
        keeper.phase_ends()
    write(body, [e for e in phase.effects if e not in inside], scope)
