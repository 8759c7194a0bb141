"""The split walk: point by point, with the reduce axes shared among the threads."""

from collections.abc import Sequence

from compiler_core.codegen.c.body import Body, Scope, element_type
from compiler_core.codegen.c.loops import Blocks, hoist, is_long, write
from compiler_core.kernel.kernel import (
    Axis,
    Effect,
    Phase,
    Reduce,
)
from compiler_core.schedule.cpu import CpuSchedule


def split(body: Body, schedule: CpuSchedule) -> None:
    """Point by point; in each stage the threads share one reduce axis in pieces."""
    kernel = body.kernel
    with body.loops(kernel.parallel):
        scope: Scope = {}
        for phase in kernel.phases:
            _split_phase(body, phase, scope, schedule)


def _split_phase(body: Body, phase: Phase, scope: Scope, schedule: CpuSchedule) -> None:
    inside = [e for e in phase.effects if body.kernel.is_tile_effect(e)]
    if inside:
        hoist(body, inside, scope, ())
        axis = max(body.kernel.reduce, key=lambda a: min(a.extent, schedule.pieces))
        size = -(-axis.extent // schedule.pieces)
        pieces = -(-axis.extent // size)
        folds = [e for e in inside if isinstance(e, Reduce)]
        wide = {e.name: body.monoid(e).wide or body.monoid(e).type for e in folds}
        for e in folds:
            body.w.line(f"{wide[e.name]} {e.name}_piece[{pieces}];", e.origins)
        body.pragma("parallel for num_threads(threads)")
        with body.braces(f"for (int piece = 0; piece < {pieces}; piece++)"):
            _piece(body, inside, scope, axis, size)
        _gather(body, folds, wide, pieces, scope)
    write(body, [e for e in phase.effects if e not in inside], scope)


def _piece(body: Body, effects: Sequence[Effect], scope: Scope, axis: Axis, size: int) -> None:
    index, folds = body.index, [e for e in effects if isinstance(e, Reduce)]
    body.w.line(f"{index} low = piece * ({index}){size}, high = low + {size};")
    if axis.extent % size:
        body.w.line(f"if (high > {axis.extent}) high = {axis.extent};")
    names = {e.name: f"{e.name}_fold" for e in folds}
    for e in folds:
        m = body.monoid(e)
        kind = m.wide if m.wide and is_long(body.kernel) else m.type
        body.begin(e, f"{e.name}_fold", kind)
    with Blocks(body, folds, names, axis).open():
        write(body, effects, dict(scope), names)
    for e in folds:
        body.end(e, f"{e.name}_fold")
        body.w.line(f"{e.name}_piece[piece] = {e.name}_fold;", e.origins)


def _gather(
    body: Body, folds: Sequence[Reduce], wide: dict[str, str], pieces: int, scope: Scope
) -> None:
    """Folds the pieces, in order."""
    if not folds:
        return
    for e in folds:
        body.w.line(f"{wide[e.name]} {e.name}_all = {body.monoid(e).identity};", e.origins)
    with body.braces(f"for (int piece = 0; piece < {pieces}; piece++)"):
        for e in folds:
            body.fold(e, f"{e.name}_all", f"{e.name}_piece[piece]")
    for e in folds:
        own = element_type(body.kernel.dtype_of(e.arg))
        text = body.final(e, f"{e.name}_all", wide[e.name])
        body.w.line(f"{own} {e.name} = {text};", e.origins)
        scope[e.name] = e.name
