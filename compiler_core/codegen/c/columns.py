"""The columns walk: a block of neighbouring points at once, one accumulator each.

The inner loop runs along the block in vectors; the loops over the reduce axes stand around it.
Row values are arrays of the block's width.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod

from compiler_core.codegen.c.body import Body, Scope, element_type
from compiler_core.codegen.c.loops import collapse
from compiler_core.kernel.kernel import (
    Axis,
    Compute,
    Effect,
    Reduce,
    Store,
    operands,
    root,
)
from compiler_core.schedule.cpu import COLUMN_RUN, CpuSchedule


def columns(body: Body, schedule: CpuSchedule) -> None:
    """Threads share the blocks."""
    *outer, last = body.kernel.parallel
    if schedule.threads:
        body.pragma(f"parallel for{collapse(len(outer) + 1)} num_threads(threads)")
    with body.loops(outer):
        header = f"for ({body.index} block = 0; block < {last.extent}; block += {schedule.block})"
        with body.braces(header):
            _Block(body, last, schedule.block).run()


class _Block:
    def __init__(self, body: Body, last: Axis, width: int) -> None:
        self.body, self.kernel, self.last, self.width = body, body.kernel, last, width
        self.at = f"[{last.name} - block]"
        self.long = prod(a.extent for a in self.kernel.reduce) > COLUMN_RUN
        self.scope: Scope = {}

    def run(self) -> None:
        end = f"block + {self.width}"
        if self.last.extent % self.width:
            end = f"{end} < {self.last.extent} ? {end} : {self.last.extent}"
        self.body.w.line(f"{self.body.index} end = {end};")
        for phase in self.kernel.phases:
            inside = [e for e in phase.effects if self.kernel.is_tile_effect(e)]
            if inside:
                self._hoist(inside)
                self._tile(inside)
            self._points([e for e in phase.effects if e not in inside])

    @contextmanager
    def _along(self) -> Iterator[Scope]:
        """The loop along the block, with a scope of its own."""
        self.body.pragma("simd")
        with self.body.innermost(self.last, "block", "end"):
            yield dict(self.scope)

    def _array(self, name: str, kind: str) -> None:
        self.body.w.line(f"{kind} {name}[{self.width}];")

    def _hoist(self, effects: Sequence[Effect]) -> None:
        """What is computed from row values alone is computed once a point, before the loops."""
        needed = self.kernel.needed((root(e) for e in effects), self.scope)
        tile = self.kernel.tile_values
        wanted = {a for d in needed if d.name in tile for a in operands(d)}
        wanted |= {root(e) for e in effects}
        found = [
            d for d in needed
            if d.name in wanted and d.name not in tile and isinstance(d, Compute)
        ]  # fmt: skip
        if not found:
            return
        for d in found:
            self._array(d.name, element_type(d.dtype))
        made = {d.name: f"{d.name}{self.at}" for d in found}
        with self._along() as scope:
            for d in found:
                before = self.kernel.needed((d.name,), scope)
                self.body.define((x for x in before if x is not d), scope)
                self.body.assign(made[d.name], d, scope)
                scope[d.name] = made[d.name]
        self.scope |= made

    def _tile(self, effects: Sequence[Effect]) -> None:
        folds = [e for e in effects if isinstance(e, Reduce)]
        wide = [e for e in folds if self.long and self.body.monoid(e).wide]
        into = {e.name: f"{e.name}{'_all' if e in wide else '_fold'}{self.at}" for e in folds}
        for e in folds:
            m = self.body.monoid(e)
            self._array(into[e.name].partition("[")[0], m.wide if e in wide else m.type)
        self._set({into[e.name]: self.body.monoid(e).identity for e in folds})
        with self._walk(wide, into) as targets, self._along() as scope:
            for effect in effects:
                self.body.define(self.kernel.needed((root(effect),), scope), scope)
                if isinstance(effect, Store):
                    self.body.store(effect, scope)
                else:
                    self.body.fold(effect, targets[effect.name], scope[effect.arg])
        self._finish(folds, wide, into)

    def _set(self, values: dict[str, str]) -> None:
        if values:
            with self._along():
                for name, value in values.items():
                    self.body.w.line(f"{name} = {value};")

    @contextmanager
    def _walk(self, wide: Sequence[Reduce], into: dict[str, str]) -> Iterator[dict[str, str]]:
        """The loops over the reduce axes; wide folds go through an f32 array for a while."""
        *outer, inner = self.kernel.reduce
        if not wide:
            with self.body.loops(self.kernel.reduce):
                yield into
            return
        parts = {e.name: f"{e.name}_part{self.at}" for e in wide}
        with self.body.loops(outer), self._runs(inner) as (low, high):
            for e in wide:
                self._array(f"{e.name}_part", self.body.monoid(e).type)
            self._set({parts[e.name]: self.body.monoid(e).identity for e in wide})
            with self.body.loop(inner, low, high):
                yield into | parts
            with self._along():
                for e in wide:
                    self.body.fold(e, into[e.name], parts[e.name])

    @contextmanager
    def _runs(self, axis: Axis) -> Iterator[tuple[str, str]]:
        if axis.extent <= COLUMN_RUN:
            yield "0", str(axis.extent)
            return
        index = self.body.index
        with self.body.braces(f"for ({index} run = 0; run < {axis.extent}; run += {COLUMN_RUN})"):
            stop = f"run + {COLUMN_RUN}"
            if axis.extent % COLUMN_RUN:
                stop = f"{stop} < {axis.extent} ? {stop} : {axis.extent}"
            self.body.w.line(f"{index} stop = {stop};")
            yield "run", "stop"

    def _finish(
        self, folds: Sequence[Reduce], wide: Sequence[Reduce], into: dict[str, str]
    ) -> None:
        """The row values, from the accumulators."""
        for e in folds:
            m = self.body.monoid(e)
            kind = m.wide if e in wide else m.type
            text = self.body.final(e, into[e.name], kind)
            self.scope[e.name] = into[e.name]
            if text != into[e.name]:
                self._array(e.name, element_type(self.kernel.dtype_of(e.arg)))
                self.scope[e.name] = f"{e.name}{self.at}"
                with self._along():
                    self.body.w.line(f"{e.name}{self.at} = {text};", e.origins)

    def _points(self, effects: Sequence[Effect]) -> None:
        """Stores of row values."""
        if not effects:
            return
        with self._along() as scope:
            for e in effects:
                assert isinstance(e, Store)
                self.body.define(self.kernel.needed((e.value,), scope), scope)
                self.body.store(e, scope)
