"""What the strategies share: effects at a point, accumulators, loops over the reduce axes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from compiler_core.codegen.c.body import Body, Names, Scope, element_type
from compiler_core.ir.sizes import at_most
from compiler_core.kernel.effects import Effect, Reduce, Scan, Store
from compiler_core.kernel.kernel import Axis, Def, Kernel, Load, roots
from compiler_core.schedule.cpu.schedule import Inner

# The accumulator of each value that a reduction or a scan makes.
Into = dict[str, str]
Combination = Reduce | Scan


def write(
    body: Body,
    effects: Sequence[Effect],
    scope: Scope,
    into: Into | None = None,
    scoped: Callable[[Scope], None] | None = None,
) -> None:
    """Writes `effects` at one point, with the definitions that they need; `into` names the
    accumulators, and `scoped` is called with the scope of each effect."""
    for e in effects:
        body.define(body.kernel.needed(roots(e), scope), scope)
        if scoped:
            scoped(scope)
        if isinstance(e, Store):
            body.store(e, scope)
        elif into is None:
            # Without a reduce axis there is one element to combine.
            scope |= {name: scope[a] for name, a in zip(e.names, e.args, strict=True)}
        else:
            names, values = names_of(e, into), tuple(scope[a] for a in e.args)
            if isinstance(e, Scan):
                body.combine_waiting(e, names, values)
            else:
                combine = body.combine_in_vectors if by_clause(effects) else body.combine_next
                combine(e, names, values)
            if isinstance(e, Scan):
                finish(body, e, into, running_kinds(body, e), scope)


def indices(body: Body, last: Axis, known: Scope | None = None) -> Scope:
    """The scope with the indices that do not change along the axis `last`, which are defined before
    its loop: a row's number is loaded once for each row. It also contains `known`."""
    scope = Scope(known or {})
    body.define(fixed_indices(body.kernel, last), scope)
    return scope


def before_all(body: Body) -> Scope:
    """The scope with the loop-invariant definitions, which are written before all loops."""
    kernel, scope = body.kernel, Scope()
    needed = kernel.needed(roots(*kernel.effects))
    body.define((d for d in needed if d in kernel.fixed), scope)
    return scope


def fixed_indices(kernel: Kernel, last: Axis) -> tuple[Def, ...]:
    """The definitions of indices that do not change along `last`."""
    moving = kernel.varying([last.name])
    effects = kernel.effects
    read = {
        v for d in kernel.needed(roots(*effects)) if isinstance(d, Load) for v in d.access.values
    }
    for e in kernel.scattered:
        read |= {*e.access.values, *((e.mask,) if e.mask else ())}
    return kernel.needed(read - moving)


def by_clause(effects: Iterable[Effect]) -> bool:
    """Whether an OpenMP reduction(...) clause supports every reduction among them: no tuple and no
    scan."""
    return not any(isinstance(e, Scan) or len(roots(e)) > 1 for e in effects)


def kinds_of(body: Body, e: Reduce, inner: Inner) -> dict[str, str]:
    """The C types, by name, of the accumulators that a loop over a whole axis combines into."""
    if inner.how == "moments":
        return dict.fromkeys(e.names, "double")
    return running_kinds(body, e) if inner.sum_block else _kinds(e, body.monoid(e).types)


def running_kinds(body: Body, e: Combination) -> dict[str, str]:
    """The C types, by name, of accumulators that are carried across blocks, or from element to
    element of a scan."""
    m = body.monoid(e)
    return _kinds(e, (m.upcast,) if m.upcast else m.types)


def _kinds(e: Combination, types: Sequence[str]) -> dict[str, str]:
    return dict(zip(e.names, types, strict=True))


def names_of(e: Combination, into: Into) -> Names:
    """The variables that hold the components of a reduction or scan."""
    return tuple(into[name] for name in e.names)


def hoist(body: Body, effects: Sequence[Effect], scope: Scope, known: Iterable[str]) -> None:
    """Defines, before a loop over the reduce axes, what does not depend on them."""
    needed = body.kernel.needed(roots(*effects), known)
    body.define((d for d in needed if d.name not in body.kernel.tile_values), scope)


@contextmanager
def accumulators(
    body: Body, reduces: Sequence[Reduce], scope: Scope, inner: Inner
) -> Iterator[Into]:
    """Declares the accumulators before a loop, and the row values after it."""
    names: Into = {}
    kinds: dict[str, str] = {}
    for e in reduces:
        own = kinds_of(body, e, inner)
        for name, arg in zip(e.names, e.args, strict=True):
            plain = body.final(arg, name, own[name]) == name
            names[name] = name if plain else f"{name}_acc"
        body.begin(e, names_of(e, names), tuple(own.values()))
        kinds |= own
    yield names
    for e in reduces:
        finish(body, e, names, kinds, scope)


def finish(body: Body, e: Combination, into: Into, kinds: Mapping[str, str], scope: Scope) -> None:
    """Defines the results of `e` from accumulators of C types `kinds`."""
    for name, arg in zip(e.names, e.args, strict=True):
        if into[name] != name:
            text = body.final(arg, into[name], kinds[name])
            body.w.line(f"{element_type(body.kernel.dtype_of(arg))} {name} = {text};", e.origins)
        scope[name] = name


@contextmanager
def outer_loops(body: Body, axes: Sequence[Axis], part: Axis | None) -> Iterator[None]:
    """The loops over `axes`, outermost first; `part` is the one whose range the caller divides
    among threads."""
    if not axes:
        yield
        return
    with body.loop(axes[0], *bounds(axes[0], part)), outer_loops(body, axes[1:], part):
        yield


@contextmanager
def blocks(body: Body, size: int, low: str, high: str) -> Iterator[None]:
    """A loop over blocks of `size` elements from `low` to `high`, each from `block` to `end`."""
    header = f"for ({body.index} block = {low}; block < {high}; block += {size})"
    with body.braces(header):
        whole = high.isdecimal() and int(high) % size == 0
        end = f"block + {size}"
        body.w.line(f"{body.index} end = {end if whole else f'{end} < {high} ? {end} : {high}'};")
        yield


def bounds(axis: Axis, part: Axis | None) -> tuple[str, str]:
    """The first value and the end of an axis' loop: `low` and `high` of the thread for the divided
    axis."""
    return ("low", "high") if axis is part else ("0", str(axis.extent))


class Blocks:
    """The loops over the reduce axes: the last one in vectors, and in blocks if it is long.
    Reductions that are finally accumulated in f64 have an f32 accumulator for each block, which is
    added up after it."""

    def __init__(
        self,
        body: Body,
        inner: Inner,
        reduces: Sequence[Reduce],
        into: Into,
        part: Axis | None = None,
    ) -> None:
        self._body, self._how, self._part = body, inner, part
        # What a scan goes on from is as wide all the way as the scan is.
        scanned = body.kernel.scans
        self._upcast = [
            e
            for e in reduces
            if body.monoid(e).upcast and inner.sum_block and e.names[0] not in scanned
        ]
        self._reduces, self._into = reduces, into

    @contextmanager
    def open(self) -> Iterator[Into]:
        *outer, last = self._body.kernel.reduce
        with outer_loops(self._body, outer, self._part):
            size = self._how.sum_block
            blocked = bool(self._upcast) and not at_most(last.extent, size)
            low, high = bounds(last, self._part)
            if blocked:
                with (
                    blocks(self._body, size, low, high),
                    self._inner(last, "block", "end") as names,
                ):
                    yield names
            else:
                with self._inner(last, low, high) as names:
                    yield names

    @contextmanager
    def _inner(self, last: Axis, low: str, high: str) -> Iterator[Into]:
        body = self._body
        parts = {e.names[0]: f"{e.names[0]}_part" for e in self._upcast}
        for e in self._upcast:
            m = body.monoid(e)
            body.w.line(f"{m.types[0]} {parts[e.names[0]]} = {m.identities[0]};", e.origins)
        names = {**self._into, **parts}
        if self._how.how == "simd":
            pairs = [(e, names[e.names[0]]) for e in self._reduces]
            body.pragma(f"simd{body.clauses(pairs)}")
        with body.innermost(last, low, high):
            yield names
        for e in self._upcast:
            body.combine(e, names_of(e, self._into), names_of(e, parts))


def collapse(count: int) -> str:
    """OpenMP's clause that shares `count` nested loops among threads as one; "" for a single
    loop."""
    return f" collapse({count})" if count > 1 else ""
