"""What the walks share: effects at a point, accumulators, loops over the reduce axes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import prod

from compiler_core.codegen.c.body import VECTOR_EXTENT, Body, Scope, element_type
from compiler_core.kernel.kernel import (
    Axis,
    Effect,
    Kernel,
    Reduce,
    Store,
    root,
)
from compiler_core.schedule.cpu import SUM_BLOCK


def write(
    body: Body,
    effects: Sequence[Effect],
    scope: Scope,
    into: dict[str, str] | None = None,
    made: Callable[[Scope], None] | None = None,
) -> None:
    """Writes effects with the definitions they need; `made` is told of each scope."""
    for e in effects:
        body.define(body.kernel.needed((root(e),), scope), scope)
        if made:
            made(scope)
        if isinstance(e, Store):
            body.store(e, scope)
        elif into is None:
            # Without a reduce axis there is one element to fold.
            scope[e.name] = scope[e.arg]
        else:
            body.fold_in_vectors(e, into[e.name], scope[e.arg])


def hoist(body: Body, effects: Sequence[Effect], scope: Scope, known: Iterable[str]) -> None:
    """Defines, before a loop over the reduce axes, what does not depend on them."""
    needed = body.kernel.needed((root(e) for e in effects), known)
    body.define((d for d in needed if d.name not in body.kernel.tile_values), scope)


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
        with body.innermost(last, low, high):
            yield
        for e in self._wide:
            body.fold(e, self._outer[e.name], self._into[e.name])
        self._into.update(self._outer)


def collapse(count: int) -> str:
    return f" collapse({count})" if count > 1 else ""
