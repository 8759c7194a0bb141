"""What the walks share: effects at a point, accumulators, loops over the reduce axes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod

from compiler_core.codegen.c.body import VECTOR_EXTENT, Body, Names, Scope, element_type
from compiler_core.kernel.kernel import (
    Axis,
    Effect,
    Kernel,
    Load,
    Reduce,
    Store,
    roots,
)
from compiler_core.schedule.cpu import SUM_BLOCK, lanes

# The accumulator of each row value.
Into = dict[str, str]


def write(
    body: Body,
    effects: Sequence[Effect],
    scope: Scope,
    into: Into | None = None,
    made: Callable[[Scope], None] | None = None,
) -> None:
    """Writes effects with the definitions they need; `made` is told of each scope."""
    for e in effects:
        body.define(body.kernel.needed(roots(e), scope), scope)
        if made:
            made(scope)
        if isinstance(e, Store):
            body.store(e, scope)
        elif into is None:
            # Without a reduce axis there is one element to combine.
            scope |= {name: scope[a] for name, a in zip(e.names, e.args, strict=True)}
        else:
            combine = body.combine_next if of_tuples(effects) else body.combine_in_vectors
            combine(e, names_of(e, into), tuple(scope[a] for a in e.args))


def indices(body: Body, last: Axis) -> Scope:
    """Defines, before the loop over `last`, the indices that are the same all along it: a row's
    number is loaded once a row."""
    kernel, scope = body.kernel, Scope()
    moving = kernel.varying([last.name])
    effects = [e for p in kernel.phases for e in p.effects]
    read = {
        v for d in kernel.needed(roots(*effects)) if isinstance(d, Load) for v in d.access.values
    }
    for e in kernel.scattered:
        read |= {*e.access.values, *((e.mask,) if e.mask else ())}
    body.define(kernel.needed(read - moving), scope)
    return scope


def of_tuples(effects: Iterable[Effect]) -> bool:
    """Whether some reduction among them is of tuples."""
    return any(isinstance(e, Reduce) and len(e.names) > 1 for e in effects)


def names_of(e: Reduce, into: Into) -> Names:
    return tuple(into[name] for name in e.names)


def hoist(body: Body, effects: Sequence[Effect], scope: Scope, known: Iterable[str]) -> None:
    """Defines, before a loop over the reduce axes, what does not depend on them."""
    needed = body.kernel.needed(roots(*effects), known)
    body.define((d for d in needed if d.name not in body.kernel.tile_values), scope)


@contextmanager
def accumulators(body: Body, reduces: Sequence[Reduce], scope: Scope) -> Iterator[Into]:
    """Declares the accumulators before a loop, and the row values after it."""
    names: Into = {}
    kinds: dict[str, str] = {}
    for e in reduces:
        m = body.monoid(e)
        own = (m.wide,) if m.wide and is_long(body.kernel) else m.types
        for name, arg, kind in zip(e.names, e.args, own, strict=True):
            plain = body.final(arg, name, kind) == name
            names[name], kinds[name] = (name if plain else f"{name}_fold"), kind
        body.begin(e, names_of(e, names), own)
    yield names
    for e in reduces:
        finish(body, e, names, kinds, scope)


def finish(body: Body, e: Reduce, into: Into, kinds: Mapping[str, str], scope: Scope) -> None:
    """The row values of `e` from accumulators of C types `kinds`."""
    for name, arg in zip(e.names, e.args, strict=True):
        if into[name] != name:
            text = body.final(arg, into[name], kinds[name])
            body.w.line(f"{element_type(body.kernel.dtype_of(arg))} {name} = {text};", e.origins)
        scope[name] = name


def is_long(kernel: Kernel) -> bool:
    """Whether a float sum over the reduce axes must be taken in blocks."""
    return prod(a.extent for a in kernel.reduce) > SUM_BLOCK


def reduce_loops(
    body: Body,
    reduces: Sequence[Reduce],
    into: Into,
    point: Callable[[Into], None],
    part: Axis | None = None,
) -> None:
    """The loops over the reduce axes around `point`, which writes the effects at one point with
    the accumulators it is told. Of the axis `part`, only low <= part < high."""
    if of_tuples(reduces):
        Lanes(body, reduces, into, part).write(point)
        return
    for e in reduces:
        body.begin_vectors(e, into[e.names[0]])
    with Blocks(body, reduces, into, part).open() as names:
        point(names)
    for e in reduces:
        body.end_vectors(e, into[e.names[0]])


@contextmanager
def outer_loops(body: Body, axes: Sequence[Axis], part: Axis | None) -> Iterator[None]:
    if not axes:
        yield
        return
    with body.loop(axes[0], *bounds(axes[0], part)), outer_loops(body, axes[1:], part):
        yield


def bounds(axis: Axis, part: Axis | None) -> tuple[str, str]:
    return ("low", "high") if axis is part else ("0", str(axis.extent))


class Blocks:
    """The loops over the reduce axes: the last one in vectors, and in blocks where it is long.
    Reductions with a wide accumulator get one of their own for each block, added up after it."""

    def __init__(
        self, body: Body, reduces: Sequence[Reduce], into: Into, part: Axis | None = None
    ) -> None:
        self._body, self._part = body, part
        self._wide = [e for e in reduces if body.monoid(e).wide and is_long(body.kernel)]
        self._reduces, self._into = reduces, into

    @contextmanager
    def open(self) -> Iterator[Into]:
        *outer, last = self._body.kernel.reduce
        with outer_loops(self._body, outer, self._part):
            blocked = bool(self._wide) and last.extent > SUM_BLOCK
            low, high = bounds(last, self._part)
            if blocked:
                with self._block(last, low, high), self._inner(last, "block", "end") as names:
                    yield names
            else:
                with self._inner(last, low, high) as names:
                    yield names

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
    def _inner(self, last: Axis, low: str, high: str) -> Iterator[Into]:
        body = self._body
        parts = {e.names[0]: f"{e.names[0]}_part" for e in self._wide}
        for e in self._wide:
            m = body.monoid(e)
            body.w.line(f"{m.types[0]} {parts[e.names[0]]} = {m.identities[0]};", e.origins)
        names = {**self._into, **parts}
        if last.extent >= VECTOR_EXTENT:
            pairs = [(e, names[e.names[0]]) for e in self._reduces]
            body.pragma(f"simd{body.clauses(pairs)}")
        with body.innermost(last, low, high):
            yield names
        for e in self._wide:
            body.combine(e, names_of(e, self._into), names_of(e, parts))


class Lanes:
    """The loops over the reduce axes where a reduction is of tuples, which OpenMP has no clause
    for: elements a few apart share an accumulator of their own, so that neighbours are combined
    in vectors; after the loops all lanes are combined in order."""

    def __init__(
        self, body: Body, reduces: Sequence[Reduce], into: Into, part: Axis | None = None
    ) -> None:
        self._body, self._part = body, part
        self._reduces, self._into = reduces, into
        self._width = lanes(body.kernel.reduce[-1].extent)

    def write(self, point: Callable[[Into], None]) -> None:
        *outer, last = self._body.kernel.reduce
        if not self._width:
            with outer_loops(self._body, (*outer, last), self._part):
                point(self._into)
            return
        self._begin()
        with outer_loops(self._body, outer, self._part):
            self._walk(last, point)
        self._gather()

    def _at(self, index: str) -> Into:
        return {name: f"{name}_lane[{index}]" for e in self._reduces for name in e.names}

    def _begin(self) -> None:
        body, width = self._body, self._width
        for e in self._reduces:
            for name, kind in zip(e.names, body.monoid(e).types, strict=True):
                body.w.line(f"{kind} {name}_lane[{width}];", e.origins)
        with body.braces(f"for (int lane = 0; lane < {width}; lane++)"):
            for e in self._reduces:
                for at, identity in zip(
                    names_of(e, self._at("lane")), body.monoid(e).identities, strict=True
                ):
                    body.w.line(f"{at} = {identity};", e.origins)

    def _walk(self, last: Axis, point: Callable[[Into], None]) -> None:
        body, width = self._body, self._width
        low, high = bounds(last, self._part)
        header = f"for ({body.index} block = {low}; block + {width} <= {high}; block += {width})"
        with body.braces(header):
            self._vector(last, "block", f"block + {width}", point)
        if last is self._part:
            body.w.line(f"{body.index} rest = high - (high - low) % {width};")
            self._vector(last, "rest", high, point)
        elif last.extent % width:
            self._vector(last, str(last.extent - last.extent % width), high, point)

    def _vector(self, last: Axis, low: str, high: str, point: Callable[[Into], None]) -> None:
        self._body.pragma("simd")
        with self._body.innermost(last, low, high):
            point(self._at(f"{last.name} - {low}"))

    def _gather(self) -> None:
        with self._body.braces(f"for (int lane = 0; lane < {self._width}; lane++)"):
            for e in self._reduces:
                into, values = names_of(e, self._into), names_of(e, self._at("lane"))
                self._body.combine(e, into, values)


def collapse(count: int) -> str:
    return f" collapse({count})" if count > 1 else ""
