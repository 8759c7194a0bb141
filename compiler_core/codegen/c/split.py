"""The split walk: point by point, with the reduce axes shared among the threads."""

from collections.abc import Sequence

from compiler_core.codegen.c.body import Body, Scope
from compiler_core.codegen.c.loops import (
    Into,
    finish,
    hoist,
    is_long,
    names_of,
    reduce_loops,
    write,
)
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
        reduces = [e for e in inside if isinstance(e, Reduce)]
        kinds = _kinds(body, reduces)
        for name, kind in kinds.items():
            origins = body.kernel.reductions[name].origins
            body.w.line(f"{kind} {name}_piece[{pieces}];", origins)
        body.pragma("parallel for num_threads(threads)")
        with body.braces(f"for (int piece = 0; piece < {pieces}; piece++)"):
            _piece(body, inside, scope, axis, size)
        _gather(body, reduces, kinds, pieces, scope)
    write(body, [e for e in phase.effects if e not in inside], scope)


def _kinds(body: Body, reduces: Sequence[Reduce]) -> dict[str, str]:
    """The C type in which the pieces of each row value are combined."""
    kinds: dict[str, str] = {}
    for e in reduces:
        m = body.monoid(e)
        kinds |= zip(e.names, (m.wide,) if m.wide else m.types, strict=True)
    return kinds


def _piece(body: Body, effects: Sequence[Effect], scope: Scope, axis: Axis, size: int) -> None:
    index, reduces = body.index, [e for e in effects if isinstance(e, Reduce)]
    body.w.line(f"{index} low = piece * ({index}){size}, high = low + {size};")
    if axis.extent % size:
        body.w.line(f"if (high > {axis.extent}) high = {axis.extent};")
    names = _suffixed(reduces, "_fold")
    for e in reduces:
        m = body.monoid(e)
        body.begin(e, names_of(e, names), (m.wide,) if m.wide and is_long(body.kernel) else m.types)
    reduce_loops(body, reduces, names, lambda into: write(body, effects, dict(scope), into), axis)
    for e in reduces:
        for name in e.names:
            body.w.line(f"{name}_piece[piece] = {names[name]};", e.origins)


def _gather(
    body: Body, reduces: Sequence[Reduce], kinds: dict[str, str], pieces: int, scope: Scope
) -> None:
    """Combines the pieces, in order."""
    if not reduces:
        return
    into, parts = _suffixed(reduces, "_all"), _suffixed(reduces, "_piece[piece]")
    for e in reduces:
        for name, identity in zip(e.names, body.monoid(e).identities, strict=True):
            body.w.line(f"{kinds[name]} {into[name]} = {identity};", e.origins)
    with body.braces(f"for (int piece = 0; piece < {pieces}; piece++)"):
        for e in reduces:
            body.combine(e, names_of(e, into), names_of(e, parts))
    for e in reduces:
        finish(body, e, into, kinds, scope)


def _suffixed(reduces: Sequence[Reduce], suffix: str) -> Into:
    return {name: f"{name}{suffix}" for e in reduces for name in e.names}
