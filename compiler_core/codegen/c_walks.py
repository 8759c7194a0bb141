"""Three walks of a kernel: flat, rows and split (schedule/cpu.py says when)."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import prod

from compiler_core.codegen.c_body import VECTOR_EXTENT, Body, Scope, affine, element_type
from compiler_core.codegen.c_types import register_type
from compiler_core.ir.types import strides
from compiler_core.loops.kernel import (
    Affine,
    Axis,
    Effect,
    Kernel,
    Reduce,
    Stage,
    Store,
    operands,
    root,
)
from compiler_core.schedule.cpu import MANY_POINTS, SUM_BLOCK, TILE, CpuSchedule, Kept


def flat(body: Body, schedule: CpuSchedule) -> None:
    """Threads share the outer axes; where these have few points, the last one."""
    kernel = body.kernel
    if not kernel.parallel:
        _effects(body, [e for s in kernel.stages for e in s.effects], {})
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
            _effects(body, [e for s in kernel.stages for e in s.effects], {})


def _tiled(body: Body, schedule: CpuSchedule) -> None:
    """Threads share tiles of two axes."""
    kernel, last = body.kernel, body.kernel.parallel[-1]
    (across,) = (a for a in kernel.parallel if a.name == schedule.tile)
    outer = [a for a in kernel.parallel if a is not last and a is not across]
    if schedule.threads:
        body.pragma(f"parallel for{collapse(len(outer) + 2)} num_threads(threads)")
    with body.loops(outer), body.tiles(across, TILE[0]), body.tiles(last, TILE[1]):
        bounds = [
            (f"{a.name}_tile", body.tile_end(a, n)) for a, n in ((across, TILE[0]), (last, TILE[1]))
        ]
        with body.loop(across, *bounds[0]):
            body.pragma("simd")
            with body.loop(last, *bounds[1]):
                _effects(body, [e for s in kernel.stages for e in s.effects], {})


def rows(body: Body, schedule: CpuSchedule) -> None:
    """Threads share the points; at each point the stages walk the reduce axes in turn."""
    kernel = body.kernel
    if schedule.threads and kernel.parallel:
        body.pragma(f"parallel for{collapse(len(kernel.parallel))} num_threads(threads)")
    with body.loops(kernel.parallel):
        keeper = Keeper(body, schedule.keep)
        scope: Scope = {}
        for stage in kernel.stages:
            _row_stage(body, stage, scope, keeper)


class Keeper:
    """Tile values that wait in memory, from the stage that first computes them."""

    def __init__(self, body: Body, keep: Sequence[Kept]) -> None:
        self._body, self._filled = body, set[str]()
        axes = body.kernel.reduce
        extents = tuple(a.extent for a in axes)
        steps = zip(axes, strides(extents), strict=True)
        at = affine(Affine(tuple((a.name, s) for a, s in steps)))
        self._places: dict[str, str] = {}
        for kept in keep:
            name, place = kept.name, kept.place
            self._places[name] = f"{name}_row[{at}]"
            if place:
                self._places[name] = f"{place.buffer}[{affine(place.access)}]"
            else:
                kind = element_type(body.kernel.dtype_of(name))
                body.w.line(f"{kind} {name}_row[{max(1, prod(extents))}];")

    @property
    def filled(self) -> frozenset[str]:
        return frozenset(self._filled)

    def fetch(self, effects: Sequence[Effect], scope: Scope) -> None:
        """Defines, at the start of a stage's loop, what it needs and earlier stages kept."""
        body, wanted = self._body, self._wanted(effects)
        for name in self._places:
            if name in wanted and name in self._filled:
                d = body.kernel.definitions[name]
                body.w.line(f"{register_type(d.dtype)} {name} = {self._places[name]};", d.origins)
                scope[name] = name

    def _wanted(self, effects: Sequence[Effect]) -> set[str]:
        """What `effects` reach without passing through another value that was kept."""
        found: set[str] = set()
        stack = [root(e) for e in effects]
        while stack:
            name = stack.pop()
            if name in found or name in self._body.kernel.reductions:
                continue
            found.add(name)
            if name not in self._filled:
                stack.extend(operands(self._body.kernel.definitions[name]))
        return found

    def fill(self, scope: Scope) -> None:
        for name, place in self._places.items():
            if name in scope and name not in self._filled:
                d = self._body.kernel.definitions[name]
                self._body.w.line(f"{place} = {scope[name]};", d.origins)
                self._filled.add(name)


def _row_stage(body: Body, stage: Stage, scope: Scope, keeper: Keeper) -> None:
    inside = [e for e in stage.effects if body.kernel.is_tile_effect(e)]
    if inside:
        hoist(body, inside, scope, keeper.filled)
        folds = [e for e in inside if isinstance(e, Reduce)]
        with accumulators(body, folds, scope) as names, Blocks(body, folds, names).open():
            tile = dict(scope)
            keeper.fetch(inside, tile)
            _effects(body, inside, tile, names, keeper)
    _effects(body, [e for e in stage.effects if e not in inside], scope)


def hoist(body: Body, effects: Sequence[Effect], scope: Scope, known: Iterable[str]) -> None:
    """Defines, before a loop over the reduce axes, what does not depend on them."""
    needed = body.kernel.needed((root(e) for e in effects), known)
    body.define((d for d in needed if d.name not in body.kernel.tile_values), scope)


def _effects(
    body: Body,
    effects: Sequence[Effect],
    scope: Scope,
    into: dict[str, str] | None = None,
    keeper: Keeper | None = None,
) -> None:
    for e in effects:
        body.define(body.kernel.needed((root(e),), scope), scope)
        if keeper:
            keeper.fill(scope)
        if isinstance(e, Store):
            body.store(e, scope)
        elif into is None:
            # Without a reduce axis there is one element to fold.
            scope[e.name] = scope[e.arg]
        else:
            body.fold_in_vectors(e, into[e.name], scope[e.arg])


@contextmanager
def accumulators(body: Body, folds: Sequence[Reduce], scope: Scope) -> Iterator[dict[str, str]]:
    """Declares an accumulator a fold before a loop, and the row values after it."""
    names: dict[str, str] = {}
    kinds: dict[str, str] = {}
    for e in folds:
        m = body.monoid(e)
        kind = m.wide if m.wide and is_long(body.kernel) else m.type
        plain = body.final(e, e.name, kind) == e.name
        names[e.name], kinds[e.name] = (e.name if plain else f"{e.name}_fold"), kind
        body.begin(e, names[e.name], kind)
    yield names
    for e in folds:
        body.end(e, names[e.name])
        if names[e.name] != e.name:
            text = body.final(e, names[e.name], kinds[e.name])
            own = element_type(body.kernel.dtype_of(e.arg))
            body.w.line(f"{own} {e.name} = {text};", e.origins)
        scope[e.name] = e.name


def is_long(kernel: Kernel) -> bool:
    """Whether a float sum over the reduce axes must be taken in blocks."""
    return prod(a.extent for a in kernel.reduce) > SUM_BLOCK


class Blocks:
    """The loops over the reduce axes: the last one in vectors, and in blocks where it is long.
    Folds with a wide accumulator get one of their own for each block, added up after it."""

    def __init__(
        self, body: Body, folds: Sequence[Reduce], into: dict[str, str], part: Axis | None = None
    ) -> None:
        self._body, self._part = body, part
        self._wide = [e for e in folds if body.monoid(e).wide and is_long(body.kernel)]
        self._folds, self._into, self._outer = folds, into, dict(into)

    @contextmanager
    def open(self) -> Iterator[None]:
        *outer, last = self._body.kernel.reduce
        with self._outer_loops(outer):
            blocked = bool(self._wide) and last.extent > SUM_BLOCK
            low, high = self._bounds(last)
            if blocked:
                with self._block(last, low, high), self._inner(last, "block", "end"):
                    yield
            else:
                with self._inner(last, low, high):
                    yield

    @contextmanager
    def _outer_loops(self, axes: Sequence[Axis]) -> Iterator[None]:
        if not axes:
            yield
            return
        low, high = self._bounds(axes[0])
        with self._body.loop(axes[0], low, high), self._outer_loops(axes[1:]):
            yield

    def _bounds(self, axis: Axis) -> tuple[str, str]:
        return ("low", "high") if axis is self._part else ("0", str(axis.extent))

    @contextmanager
    def _block(self, axis: Axis, low: str, high: str) -> Iterator[None]:
        index = self._body.index
        header = f"for ({index} block = {low}; block < {high}; block += {SUM_BLOCK})"
        with self._body.braces(header):
            whole = axis is not self._part and axis.extent % SUM_BLOCK == 0
            end = f"block + {SUM_BLOCK}"
            text = end if whole else f"{end} < {high} ? {end} : {high}"
            self._body.w.line(f"{index} end = {text};")
            yield

    @contextmanager
    def _inner(self, last: Axis, low: str, high: str) -> Iterator[None]:
        body = self._body
        for e in self._wide:
            m = body.monoid(e)
            self._into[e.name] = f"{e.name}_part"
            body.w.line(f"{m.type} {e.name}_part = {m.identity};", e.origins)
        if last.extent >= VECTOR_EXTENT:
            pairs = [(e, self._into[e.name]) for e in self._folds]
            body.pragma(f"simd{body.clauses(pairs)}")
        with body.loop(last, low, high):
            yield
        for e in self._wide:
            body.fold(e, self._outer[e.name], self._into[e.name])
        self._into.update(self._outer)


def collapse(count: int) -> str:
    return f" collapse({count})" if count > 1 else ""


def split(body: Body, schedule: CpuSchedule) -> None:
    """Point by point; in each stage the threads share one reduce axis in pieces."""
    kernel = body.kernel
    with body.loops(kernel.parallel):
        scope: Scope = {}
        for stage in kernel.stages:
            _split_stage(body, stage, scope, schedule)


def _split_stage(body: Body, stage: Stage, scope: Scope, schedule: CpuSchedule) -> None:
    inside = [e for e in stage.effects if body.kernel.is_tile_effect(e)]
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
    _effects(body, [e for e in stage.effects if e not in inside], scope)


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
        _effects(body, effects, dict(scope), names)
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
