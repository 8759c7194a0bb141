"""The split strategy: one point at a time, with the reduce axes shared among the threads."""

from collections.abc import Sequence
from dataclasses import dataclass

from compiler_core.codegen.c.body import Body, Scope
from compiler_core.codegen.c.lanes import reduce_loops
from compiler_core.codegen.c.loops import (
    Combination,
    Into,
    finish,
    hoist,
    kinds_of,
    names_of,
    write,
)
from compiler_core.codegen.c.scans import Scans, as_reduce
from compiler_core.ir.sizes import Size
from compiler_core.kernel.effects import Effect, Phase, Reduce, Scan
from compiler_core.kernel.kernel import Axis
from compiler_core.schedule.cpu.schedule import CpuSchedule, Inner


def split(body: Body, schedule: CpuSchedule) -> None:
    """Prints the kernel; in each phase the threads share one reduce axis in parts."""
    kernel = body.kernel
    with body.loops(kernel.parallel):
        scope: Scope = {}
        for phase, inner in zip(kernel.phases, schedule.inner, strict=True):
            _split_phase(body, phase, inner, scope, schedule)


def _split_phase(
    body: Body, phase: Phase, inner: Inner, scope: Scope, schedule: CpuSchedule
) -> None:
    inside = [e for e in phase.effects if body.kernel.is_tile_effect(e)]
    if inside:
        hoist(body, inside, scope, ())
        (axis,) = (a for a in body.kernel.reduce if a.name == schedule.shared)
        shares = _shares(axis, schedule.pieces)
        scans = [as_reduce(e) for e in inside if isinstance(e, Scan)]
        if scans and inner.parts:
            _pieces(body, inner.parts, scans, scope, shares)
            _carries(body, inner.parts, scans, shares.pieces)
        _pieces(body, inner, inside, scope, shares)
        reduces = [e for e in inside if isinstance(e, Reduce)]
        _gather(body, inner, reduces, shares.pieces, scope)
    write(body, [e for e in phase.effects if e not in inside], scope)


@dataclass(frozen=True, slots=True)
class _Shares:
    """`size`: elements a piece, as an expression; `pieces`: how many there are."""

    axis: Axis
    size: str
    pieces: int

    @property
    def is_even(self) -> bool:
        """Whether all pieces have the same number of elements."""
        return not (isinstance(self.axis.extent, Size) or self.axis.extent % int(self.size))


def _shares(axis: Axis, pieces: int) -> _Shares:
    """Of an extent that is a symbol the last pieces may be empty."""
    if isinstance(axis.extent, Size):
        return _Shares(axis, f"(({axis.extent} + {pieces - 1}) / {pieces})", pieces)
    size = -(-axis.extent // pieces)
    return _Shares(axis, str(size), -(-axis.extent // size))


def _pieces(
    body: Body, inner: Inner, effects: Sequence[Effect], scope: Scope, shares: _Shares
) -> None:
    """The threads' loop over the pieces, which leaves what each reduction has of each piece."""
    for e in effects:
        if isinstance(e, Reduce):
            for name, kind in _kinds(body, e, inner).items():
                body.w.line(f"{kind} {name}_piece[{shares.pieces}];", e.origins)
    body.pragma("parallel for num_threads(threads)")
    with body.braces(f"for (int piece = 0; piece < {shares.pieces}; piece++)"):
        _piece(body, inner, effects, scope, shares)


def _kinds(body: Body, e: Reduce, inner: Inner) -> dict[str, str]:
    """The C types in which partial results of `e` are combined."""
    m = body.monoid(e)
    return {e.names[0]: m.upcast} if m.upcast else kinds_of(body, e, inner)


def _piece(
    body: Body, inner: Inner, effects: Sequence[Effect], scope: Scope, shares: _Shares
) -> None:
    index, reduces = body.index, [e for e in effects if isinstance(e, Reduce)]
    body.w.line(f"{index} low = piece * ({index}){shares.size}, high = low + {shares.size};")
    if not shares.is_even:
        body.w.line(f"if (high > {shares.axis.extent}) high = {shares.axis.extent};")
    names = _suffixed(reduces, "_acc")
    for e in reduces:
        body.begin(e, names_of(e, names), tuple(kinds_of(body, e, inner).values()))

    def point(effects: Sequence[Effect], known: Scope, into: Into) -> None:
        write(body, effects, scope | known, into)

    scans = [e for e in effects if isinstance(e, Scan)]
    if scans:
        carry = _suffixed(scans, "_piece[piece]")
        Scans(body, inner, effects, names, shares.axis, carry).write(point)
    else:
        reduce_loops(
            body, inner, effects, names, lambda some, into: point(some, {}, into), shares.axis
        )
    for e in reduces:
        for name in e.names:
            body.w.line(f"{name}_piece[piece] = {names[name]};", e.origins)


def _carries(body: Body, inner: Inner, reduces: Sequence[Reduce], pieces: int) -> None:
    """Replaces the partial result of each part by the combination of those before it."""
    for e in reduces:
        m, kinds = body.monoid(e), _kinds(body, e, inner)
        totals, heres = _suffixed([e], "_total"), _suffixed([e], "_here")
        for name, identity in zip(e.names, m.identities, strict=True):
            body.w.line(f"{kinds[name]} {totals[name]} = {identity};", e.origins)
        with body.braces(f"for (int piece = 0; piece < {pieces}; piece++)"):
            for name in e.names:
                body.w.line(f"{kinds[name]} {heres[name]} = {name}_piece[piece];", e.origins)
                body.w.line(f"{name}_piece[piece] = {totals[name]};", e.origins)
            body.combine(e, names_of(e, totals), names_of(e, heres))


def _gather(body: Body, inner: Inner, reduces: Sequence[Reduce], pieces: int, scope: Scope) -> None:
    """Combines the partial results, in order."""
    if not reduces:
        return
    into, parts = _suffixed(reduces, "_all"), _suffixed(reduces, "_piece[piece]")
    for e in reduces:
        body.begin(e, names_of(e, into), tuple(_kinds(body, e, inner).values()))
    with body.braces(f"for (int piece = 0; piece < {pieces}; piece++)"):
        for e in reduces:
            body.combine(e, names_of(e, into), names_of(e, parts))
    for e in reduces:
        finish(body, e, into, _kinds(body, e, inner), scope)


def _suffixed(reduces: Sequence[Combination], suffix: str) -> Into:
    return {name: f"{name}{suffix}" for e in reduces for name in e.names}
