"""The flat strategy: kernels without reductions."""

from collections.abc import Collection
from contextlib import nullcontext

from compiler_core.codegen.c.body import Body, Scope
from compiler_core.codegen.c.loops import collapse, fixed_indices, indices, write
from compiler_core.codegen.c.turned import read, turn
from compiler_core.kernel.kernel import Axis
from compiler_core.kernel.ranges import specialise
from compiler_core.schedule.cpu import CpuSchedule, Nest, Part, Tile


def flat(body: Body, schedule: CpuSchedule) -> None:
    """Prints the kernel: its nests of loops one after the other, or tiles."""
    if schedule.tile:
        return _tiled(body, schedule.tile, threads=schedule.threads)
    if not body.kernel.parallel:
        return _write(body)
    for nest in schedule.nests:
        _nest(body, nest, nest.shared if schedule.threads else ())


def _nest(body: Body, nest: Nest, shared: Collection[str]) -> None:
    *outer, last = body.kernel.parallel
    ranges = dict(zip((a.name for a in outer), nest.outer, strict=True))
    along = last.name in shared
    if shared and not along:
        body.pragma(f"parallel for{collapse(len(outer))} num_threads(threads)")
    with body.loops(outer, ranges):
        for part in nest.parts:
            own = {**ranges, last.name: (part.low, part.high)}
            inside = Body(body.w, specialise(body.kernel, own))
            apart = len(nest.parts) > 1 and fixed_indices(inside.kernel, last)
            with body.braces() if apart else nullcontext():
                _along(inside, last, part, shared=along)


def _along(inside: Body, last: Axis, part: Part, *, shared: bool) -> None:
    scope = indices(inside, last)
    words = ["parallel for"] * shared + ["simd"] * part.simd + ["num_threads(threads)"] * shared
    if words:
        inside.pragma(" ".join(words))
    with inside.innermost(last, str(part.low), str(part.high)):
        _write(inside, scope)


def _write(body: Body, scope: Scope | None = None) -> None:
    effects = body.kernel.effects
    write(body, effects, dict(scope or {}))


def _tiled(body: Body, tile: Tile, *, threads: bool) -> None:
    """Threads share tiles of two axes."""
    kernel, last = body.kernel, body.kernel.parallel[-1]
    (across,) = (a for a in kernel.parallel if a.name == tile.axis)
    outer = [a for a in kernel.parallel if a is not last and a is not across]
    if threads:
        body.pragma(f"parallel for{collapse(len(outer) + 2)} num_threads(threads)")
    with body.loops(outer), body.tiles(across, tile.down), body.tiles(last, tile.along):
        down, along = body.tile_end(across, tile.down), body.tile_end(last, tile.along)
        turn(body, tile, across)
        with body.loop(across, f"{across.name}_tile", down):
            body.pragma("simd")
            with body.innermost(last, f"{last.name}_tile", along):
                scope = Scope()
                read(body, tile, across, scope)
                _write(body, scope)
