"""The flat strategy: kernels without reductions."""

from contextlib import nullcontext
from itertools import product
from math import prod

from compiler_core.codegen.c.body import VECTOR_EXTENT, Body, Scope
from compiler_core.codegen.c.loops import collapse, fixed_indices, indices, write
from compiler_core.ir.sizes import hint
from compiler_core.kernel.kernel import Axis
from compiler_core.kernel.ranges import Range, parts, specialise
from compiler_core.schedule.cpu import MANY_POINTS, TILE, CpuSchedule

# More loops than this are not written out: masks stay instead.
MOST_PARTS = 9


def flat(body: Body, schedule: CpuSchedule) -> None:
    """Prints the kernel; threads share the outer axes, or the last one if those have few points.
    Where masks change along an axis, it is split into several loops."""
    kernel = body.kernel
    if not kernel.parallel:
        return _write(body)
    if schedule.tile:
        return _tiled(body, schedule)
    *outer, last = kernel.parallel
    pieces = _pieces(body)
    for chosen in product(*(pieces[a.name] for a in outer)):
        ranges = dict(zip((a.name for a in outer), chosen, strict=True))
        many = prod(hint(high - low) for low, high in chosen) >= MANY_POINTS
        if schedule.threads and many:
            body.pragma(f"parallel for{collapse(len(outer))} num_threads(threads)")
        with body.loops(outer, ranges):
            for part in pieces[last.name]:
                inside = Body(body.w, specialise(kernel, {**ranges, last.name: part}))
                apart = len(pieces[last.name]) > 1 and fixed_indices(inside.kernel, last)
                with body.braces() if apart else nullcontext():
                    _along(inside, last, part, schedule.threads and not many)


def _along(inside: Body, last: Axis, part: Range, threads: bool) -> None:
    low, high = part
    scope = indices(inside, last)
    if threads:
        inside.pragma("parallel for simd num_threads(threads)")
    elif hint(high - low) >= VECTOR_EXTENT:
        inside.pragma("simd")
    with inside.innermost(last, str(low), str(high)):
        _write(inside, scope)


def _write(body: Body, scope: Scope | None = None) -> None:
    effects = body.kernel.effects
    write(body, effects, dict(scope or {}))


def _pieces(body: Body) -> dict[str, tuple[Range, ...]]:
    """The subranges of each axis; outer axes are not split if there would be too many loops."""
    kernel = body.kernel
    found: dict[str, tuple[Range, ...]] = {a.name: ((0, a.extent),) for a in kernel.parallel}
    count = 1
    for axis in reversed(kernel.parallel):
        own = parts(kernel, axis.name)
        if count * len(own) <= MOST_PARTS:
            found[axis.name], count = own, count * len(own)
    return found


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
            with body.innermost(last, f"{last.name}_tile", along):
                _write(body)
