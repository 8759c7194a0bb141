"""The columns strategy: a block of neighbouring columns at once, each with its own accumulator.

The inner loop runs along the block, in vectors; the loops over the reduce axes are around it, but
for so few points that they are written out within it. Row values are arrays of the block's width.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from compiler_core.codegen.c.body import Body, Scope, affine, element_type
from compiler_core.codegen.c.keeper import Keeper
from compiler_core.codegen.c.loops import Combination, Into, collapse, finish, names_of
from compiler_core.codegen.c.windows import Inside, conditions, inside, limits
from compiler_core.ir.sizes import at_most, is_multiple
from compiler_core.kernel.effects import Effect, Reduce, Scan, Store
from compiler_core.kernel.kernel import Axis, Compute, Load, operands, roots
from compiler_core.schedule.cpu.model import LINE_BYTES
from compiler_core.schedule.cpu.schedule import AHEAD, LOOKED_UP, CpuSchedule, Inner


def columns(body: Body, schedule: CpuSchedule) -> None:
    """Prints the kernel; threads share the blocks."""
    *outer, last = body.kernel.parallel
    if schedule.threads:
        body.pragma(f"parallel for{collapse(len(outer) + 1)} num_threads(threads)")
    with body.loops(outer):
        header = f"for ({body.index} block = 0; block < {last.extent}; block += {schedule.block})"
        with body.braces(header):
            _Block(body, last, schedule).run()


class _Block:
    def __init__(self, body: Body, last: Axis, schedule: CpuSchedule) -> None:
        self.body, self.kernel, self.last = body, body.kernel, last
        self.width, self.inner = schedule.block, schedule.inner
        self.at = f"[{last.name} - block]"
        self.scope: Scope = {}
        self.keeper = Keeper(body, schedule.keep)

    def run(self) -> None:
        end = f"block + {self.width}"
        if not is_multiple(self.last.extent, self.width):
            end = f"{end} < {self.last.extent} ? {end} : {self.last.extent}"
        self.body.w.line(f"{self.body.index} end = {end};")
        for phase, inner in zip(self.kernel.phases, self.inner, strict=True):
            inside = [e for e in phase.effects if self.kernel.is_tile_effect(e)]
            if inside:
                self._hoist(inside)
                written_out = inner.how == "written out"
                self._written_out(inside, inner) if written_out else self._tile(inside, inner)
                self.keeper.phase_ends()
            self._points([e for e in phase.effects if e not in inside])

    @contextmanager
    def _along(self, window: Inside | None = None) -> Iterator[Scope]:
        """The loop along the block, or along the part of it that is inside, with a scope of its
        own."""
        body, low, high = self.body, "block", "end"
        with ExitStack() as stack:
            if window is not None:
                body = Body(body.w, window.kernel)
                around = conditions(window, self.last)
                stack.enter_context(body.braces(f"if ({around})" if around else ""))
                low, high = limits(body, window, self.last, low, high)
            body.pragma("simd")
            stack.enter_context(body.innermost(self.last, low, high))
            yield dict(self.scope)

    def _array(self, name: str, kind: str) -> None:
        self.body.w.line(f"{kind} {name}[{self.width}];")

    def _hoist(self, effects: Sequence[Effect]) -> None:
        """What is computed from row values alone is computed once a point, before the loops."""
        needed = self.kernel.needed(roots(*effects), self.scope)
        tile = self.kernel.tile_values
        wanted = {a for d in needed if d.name in tile for a in operands(d)}
        wanted |= set(roots(*effects))
        found = [
            d for d in needed
            if d.name in wanted and d.name not in tile and isinstance(d, Compute)
        ]  # fmt: skip
        if not found:
            return
        for d in found:
            self._array(d.name, element_type(d.dtype))
        places = {d.name: f"{d.name}{self.at}" for d in found}
        with self._along() as scope:
            for d in found:
                before = self.kernel.needed((d.name,), scope)
                self.body.define((x for x in before if x is not d), scope)
                self.body.assign(places[d.name], d, scope)
                scope[d.name] = places[d.name]
        self.scope |= places

    def _tile(self, effects: Sequence[Effect], inner: Inner) -> None:
        reduces = [e for e in effects if isinstance(e, Reduce)]
        combined = [e for e in effects if not isinstance(e, Store)]
        upcast = [e for e in reduces if self._is_upcast(e, inner)]
        into: Into = {}
        for e in combined:
            suffix = "_all" if self._is_upcast(e, inner) else "_acc"
            for name, kind in zip(e.names, self._kinds(e, inner), strict=True):
                self._array(f"{name}{suffix}", kind)
                into[name] = f"{name}{suffix}{self.at}"
        self._set(combined, into)
        window = inside(self.kernel, effects)
        body = Body(self.body.w, window.kernel) if window else self.body
        with self._walk(upcast, inner, into) as targets:
            self._fetch(inner)
            with self._along(window) as scope, self._together(reduces, inner, targets) as sums:
                self._point(body, window.effects if window else effects, inner, sums, scope)
        self._finish(reduces, inner, into)

    def _fetch(self, inner: Inner) -> None:
        """Asks for the part of a later row that lies in the block, a cache line at a time."""
        down = self.kernel.reduce[-1]
        for name in inner.ahead:
            d = self.kernel.definitions[name]
            assert isinstance(d, Load)
            if d.access.indirect:
                self._look_up(d, down)
                continue
            later = d.access.offset + AHEAD * d.access.stride(down.name)
            self._ask(d, affine(replace(d.access, offset=later), {}))

    def _look_up(self, d: Load, down: Axis) -> None:
        """Asks for the row at the place that is computed some rows later."""
        body, at = self.body, down.name
        with body.braces():
            more = f"{at} + {LOOKED_UP}"
            body.w.line(f"{body.index} later = {more} < {down.extent} ? {more} : {at};")
            with body.braces():
                body.w.line(f"{body.index} {at} = later;")
                scope = dict(self.scope)
                body.define(self.kernel.needed(d.access.values, scope), scope)
                self._ask(d, affine(d.access, scope))

    def _ask(self, d: Load, place: str) -> None:
        i, step = self.last.name, LINE_BYTES // d.dtype.bytes
        line = f"__builtin_prefetch(&{d.buffer}[{place}]);"
        header = f"for ({self.body.index} {i} = block; {i} < end; {i} += {step})"
        self.body.w.line(f"{header} {line}", d.origins)

    def _written_out(self, effects: Sequence[Effect], inner: Inner) -> None:
        reduces = [e for e in effects if isinstance(e, Reduce)]
        into: Into = {name: f"{name}_acc" for e in reduces for name in e.names}
        for e in reduces:
            for name, arg in zip(e.names, e.args, strict=True):
                self._array(name, element_type(self.kernel.dtype_of(arg)))
        with self._along() as scope:
            for e in reduces:
                self.body.begin(e, names_of(e, into), self._kinds(e, inner))
            with self.body.loops(self.kernel.reduce):
                self._point(self.body, effects, inner, into, dict(scope))
            for e in reduces:
                for name, arg, kind in zip(e.names, e.args, self._kinds(e, inner), strict=True):
                    text = self.body.final(arg, into[name], kind)
                    self.body.w.line(f"{name}{self.at} = {text};", e.origins)
        self.scope |= {name: f"{name}{self.at}" for name in into}

    def _point(
        self, body: Body, effects: Sequence[Effect], inner: Inner, into: Into, scope: Scope
    ) -> None:
        """The effects at one point of all axes."""
        self.keeper.fetch(effects, scope)
        for effect in effects:
            body.define(body.kernel.needed(roots(effect), scope), scope)
            self.keeper.fill(scope)
            if isinstance(effect, Store):
                body.store(effect, scope)
                continue
            values = tuple(scope[a] for a in effect.args)
            body.combine_next(effect, names_of(effect, into), values)
            if isinstance(effect, Scan):
                kinds = dict(zip(effect.names, self._kinds(effect, inner), strict=True))
                finish(body, effect, into, kinds, scope)

    def _is_upcast(self, e: Combination, inner: Inner) -> bool:
        return bool(inner.sum_block or isinstance(e, Scan)) and bool(self.body.monoid(e).upcast)

    def _kinds(self, e: Combination, inner: Inner) -> tuple[str, ...]:
        m = self.body.monoid(e)
        return (m.upcast,) if self._is_upcast(e, inner) else m.types

    def _set(self, reduces: Sequence[Combination], into: Into) -> None:
        """Identities, before a walk."""
        if reduces:
            with self._along():
                for e in reduces:
                    pairs = zip(names_of(e, into), self.body.monoid(e).identities, strict=True)
                    for name, identity in pairs:
                        self.body.w.line(f"{name} = {identity};")

    @contextmanager
    def _walk(self, upcast: Sequence[Reduce], inner: Inner, into: Into) -> Iterator[Into]:
        """The loops over the reduce axes; sums in float64 go through an f32 array, in runs of
        `sum_block` elements."""
        *outer, down = self.kernel.reduce
        if not upcast:
            with self.body.loops(outer), self._down(down, inner):
                yield into
            return
        parts = {name: f"{name}_part{self.at}" for e in upcast for name in e.names}
        with self.body.loops(outer), self._runs(down, inner.sum_block) as (low, high):
            for e in upcast:
                self._array(f"{e.names[0]}_part", self.body.monoid(e).types[0])
            self._set(upcast, parts)
            with self._down(down, inner, low, high):
                yield into | parts
            with self._along():
                for e in upcast:
                    self.body.combine(e, names_of(e, into), names_of(e, parts))

    @contextmanager
    def _down(self, axis: Axis, inner: Inner, low: str = "0", high: str = "") -> Iterator[None]:
        """The loop over rows, or over the first of those that are added together."""
        if not inner.together:
            with self.body.loop(axis, low, high):
                yield
            return
        step = f"first < {high or axis.extent}; first += {inner.together}"
        with self.body.braces(f"for ({self.body.index} first = {low}; {step})"):
            yield

    @contextmanager
    def _together(self, reduces: Sequence[Reduce], inner: Inner, into: Into) -> Iterator[Into]:
        """At one column: the loop over the rows that are added together, into sums of their own."""
        if not inner.together:
            yield into
            return
        few = {name: f"{name}_few" for e in reduces for name in e.names}
        for e in reduces:
            self.body.begin(e, names_of(e, few), self.body.monoid(e).types)
        with self.body.loop(self.kernel.reduce[-1], "first", f"first + {inner.together}"):
            yield few
        for e in reduces:
            self.body.combine(e, names_of(e, into), names_of(e, few))

    @contextmanager
    def _runs(self, axis: Axis, size: int) -> Iterator[tuple[str, str]]:
        if at_most(axis.extent, size):
            yield "0", str(axis.extent)
            return
        index = self.body.index
        with self.body.braces(f"for ({index} run = 0; run < {axis.extent}; run += {size})"):
            stop = f"run + {size}"
            if not is_multiple(axis.extent, size):
                stop = f"{stop} < {axis.extent} ? {stop} : {axis.extent}"
            self.body.w.line(f"{index} stop = {stop};")
            yield "run", "stop"

    def _finish(self, reduces: Sequence[Reduce], inner: Inner, into: Into) -> None:
        """The row values, from the accumulators."""
        for e in reduces:
            for name, arg, kind in zip(e.names, e.args, self._kinds(e, inner), strict=True):
                text = self.body.final(arg, into[name], kind)
                self.scope[name] = into[name]
                if text != into[name]:
                    self._array(name, element_type(self.kernel.dtype_of(arg)))
                    self.scope[name] = f"{name}{self.at}"
                    with self._along():
                        self.body.w.line(f"{name}{self.at} = {text};", e.origins)

    def _points(self, effects: Sequence[Effect]) -> None:
        """Stores of row values."""
        if not effects:
            return
        with self._along() as scope:
            for e in effects:
                assert isinstance(e, Store)
                self.body.define(self.kernel.needed((e.value,), scope), scope)
                self.body.store(e, scope)
