"""The flat strategy: kernels without reductions."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import nullcontext

from compiler_core.codegen.c.body import Body, Scope
from compiler_core.codegen.c.loops import before_all, collapse, fixed_indices, indices, write
from compiler_core.codegen.c.streams import streaming
from compiler_core.codegen.c.turned import read, turn
from compiler_core.ir.sizes import number
from compiler_core.kernel.kernel import Axis
from compiler_core.kernel.ranges import specialise
from compiler_core.kernel.residues import Residues, decided
from compiler_core.schedule.cpu.schedule import CpuSchedule, Nest, Part, Tile


def flat(body: Body, schedule: CpuSchedule) -> None:
    """Prints the kernel: its nests of loops one after the other, or tiles."""
    if schedule.tile:
        return _tiled(body, schedule, schedule.tile)
    if not body.kernel.parallel:
        return _write(body)
    known = before_all(body) if schedule.before else Scope()
    for nest in schedule.nests:
        shared = nest.shared if schedule.threads else ()
        if nest.written_out:
            _written_out(body, nest, shared, known)
        else:
            _nest(body, nest, shared, schedule, known)


def _nest(
    body: Body, nest: Nest, shared: Collection[str], schedule: CpuSchedule, known: Scope
) -> None:
    *outer, last = body.kernel.parallel
    ranges = dict(zip((a.name for a in outer), nest.outer, strict=True))
    along = last.name in shared
    if shared and not along:
        body.pragma(f"parallel for{collapse(len(outer))} num_threads(threads)")
    with body.loops(outer, ranges):
        for truths in _each_residue(body, nest.residues):
            for part in nest.parts:
                own = {**ranges, last.name: (part.low, part.high)}
                inside = Body(body.w, specialise(body.kernel, own, truths))
                apart = len(nest.parts) > 1 and fixed_indices(inside.kernel, last)
                with body.braces() if apart else nullcontext():
                    _along(inside, last, part, schedule, known, shared=along and not part.alone)


def _each_residue(body: Body, of: Residues | None) -> Iterator[Mapping[str, bool]]:
    """What is known in the block of each residue; nothing, in no block, without any."""
    if of is None:
        yield {}
        return
    for residue in range(of.count):
        with body.braces(f"if ({of.axis} % {of.count} == {residue})"):
            yield decided(body.kernel, of, residue)


def _written_out(body: Body, nest: Nest, shared: Collection[str], known: Scope) -> None:
    """In the loop over the last axis but one, each point of the last."""
    *outer, beside, last = body.kernel.parallel
    ranges = dict(zip((a.name for a in (*outer, beside)), nest.outer, strict=True))
    along = beside.name in shared
    if shared and not along:
        body.pragma(f"parallel for{collapse(len(outer))} num_threads(threads)")
    with body.loops(outer, ranges):
        _vectors(body, any(part.simd for part in nest.parts), shared=along)
        with body.loop(beside, *map(str, ranges[beside.name])):
            for at in (
                n for part in nest.parts for n in range(number(part.low), number(part.high))
            ):
                inside = Body(body.w, specialise(body.kernel, {**ranges, last.name: (at, at + 1)}))
                with body.braces():
                    body.w.line(f"{body.index} {last.name} = {at};")
                    _write(inside, known)


def _vectors(body: Body, simd: bool, *, shared: bool) -> None:
    words = ["parallel for"] * shared + ["simd"] * simd + ["num_threads(threads)"] * shared
    if words:
        body.pragma(" ".join(words))


def _along(
    inside: Body,
    last: Axis,
    part: Part,
    schedule: CpuSchedule,
    known: Scope,
    *,
    shared: bool,
) -> None:
    scope, ends = indices(inside, last, known), (str(part.low), str(part.high))
    if schedule.streamed and shared:
        inside.pragma("parallel for num_threads(threads)")
        shared = False
    with streaming(inside, inside.kernel.effects, schedule, last, ends) as (low, high):
        _vectors(inside, part.simd, shared=shared)
        with inside.innermost(last, low, high):
            _write(inside, scope)


def _write(body: Body, scope: Scope | None = None) -> None:
    effects = body.kernel.effects
    write(body, effects, dict(scope or {}))


def _tiled(body: Body, schedule: CpuSchedule, tile: Tile) -> None:
    """Threads share tiles of two axes."""
    kernel, last = body.kernel, body.kernel.parallel[-1]
    (across,) = (a for a in kernel.parallel if a.name == tile.axis)
    outer = [a for a in kernel.parallel if a is not last and a is not across]
    if schedule.threads:
        body.pragma(f"parallel for{collapse(len(outer) + 2)} num_threads(threads)")
    with body.loops(outer), body.tiles(across, tile.down), body.tiles(last, tile.along):
        down, along = body.tile_end(across, tile.down), body.tile_end(last, tile.along)
        turn(body, tile, across)
        with body.loop(across, f"{across.name}_tile", down):
            ends = (f"{last.name}_tile", along)
            with streaming(body, kernel.effects, schedule, last, ends) as ends:
                body.pragma("simd")
                with body.innermost(last, *ends):
                    scope = Scope()
                    read(body, tile, across, scope)
                    _write(body, scope)
