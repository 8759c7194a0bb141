"""Loops along the reduce axis that compute running values at each point.

Scans of single numbers are vectorised by OpenMP's inscan reductions: the loop body has two parts,
which combine the element and use the running value. f32 is accumulated in f64, which costs nothing
here and is what torch does. Tuples, and scans of scans, are sequential.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from compiler_core.codegen.c.body import Body, Scope, element_type
from compiler_core.codegen.c.loops import (
    Combination,
    Into,
    bounds,
    finish,
    running_kinds,
)
from compiler_core.kernel.effects import Effect, Reduce, Scan
from compiler_core.kernel.kernel import Axis
from compiler_core.schedule.cpu.schedule import Inner

# Writes effects at one point, with what is known there, into accumulators.
Point = Callable[[Sequence[Effect], Scope, Into], None]


class Scans:
    """Prints the loop of a phase with scans. `into`: the accumulators of its reductions; `carry`:
    the scans' values before `part`, if that part of the axis is not its beginning."""

    def __init__(
        self,
        body: Body,
        inner: Inner,
        effects: Sequence[Effect],
        into: Into,
        part: Axis | None = None,
        carry: Into | None = None,
    ) -> None:
        self._body, self._inner, self._effects, self._into = body, inner, effects, into
        self._scans = [e for e in effects if isinstance(e, Scan)]
        (self._axis,) = body.kernel.reduce
        self._part, self._carry = part, carry

    def write(self, point: Point) -> None:
        """Writes the loop; `point` writes the effects at one point."""
        if self._inner.how == "scan":
            self._in_vectors(point)
        else:
            self._in_order(point)

    # -- one element after the other

    def _in_order(self, point: Point) -> None:
        into = {name: f"{name}_all" for e in self._scans for name in e.names}
        for e in self._scans:
            self._begin(e, into)
        if self._inner.how == "searched":
            self._in_blocks(point, into)
            return
        with self._body.innermost(self._axis, *bounds(self._axis, self._part)):
            point(self._effects, {}, {**self._into, **into})

    # -- what most elements leave as it is

    def _in_blocks(self, point: Point, into: Into) -> None:
        """Blocks are searched in vectors for an element that changes something; where there is
        none, what was combined before is stored all along."""
        body, (scan,), size = self._body, self._scans, self._inner.width
        taken, (low, high) = f"{scan.names[0]}_taken", bounds(self._axis, self._part)
        with body.braces(f"for ({body.index} block = {low}; block < {high}; block += {size})"):
            end = f"block + {size}"
            body.w.line(f"{body.index} end = {end} < {high} ? {end} : {high};")
            body.w.line(f"int {taken} = 0;", scan.origins)
            body.pragma(f"simd reduction(| : {taken})")
            with body.innermost(self._axis, "block", "end"):
                point([replace(as_reduce(scan), monoid=f"{scan.monoid} search")], {}, into)
            with body.braces(f"if ({taken})"):  # noqa: SIM117
                with body.innermost(self._axis, "block", "end"):
                    point(self._effects, {}, into)
            with body.braces("else"):
                scope: Scope = {}
                finish(body, scan, into, running_kinds(body, scan), scope)
                body.pragma("simd")
                with body.innermost(self._axis, "block", "end"):
                    point([e for e in self._effects if e is not scan], scope, {})

    def _begin(self, e: Combination, into: Into) -> None:
        """Declares accumulators of what the walk has combined, with what came before it."""
        kinds = running_kinds(self._body, e)
        identities = self._body.monoid(e).identities
        for name, identity in zip(e.names, identities, strict=True):
            start = self._carry[name] if self._carry else identity
            self._body.w.line(f"{kinds[name]} {into[name]} = {start};", e.origins)

    # -- in vectors

    def _in_vectors(self, point: Point) -> None:
        body = self._body
        carries = {e.names[0]: f"{e.names[0]}_carry" for e in self._scans if self._carry}
        for e in self._scans if carries else ():
            self._begin(e, carries)
        parts = {e.names[0]: f"{e.names[0]}_part" for e in self._scans}
        for e in self._scans:
            name = parts[e.names[0]]
            (kind,) = running_kinds(body, e).values()
            body.w.line(f"{kind} {name} = {body.monoid(e).identities[0]};", e.origins)
            body.begin_vectors(e, name)
        pairs = [(e, parts[e.names[0]]) for e in self._scans]
        body.pragma(f"simd{body.clauses(pairs, 'inscan, ')}")
        with body.innermost(self._axis, *bounds(self._axis, self._part)):
            with body.braces():
                point([as_reduce(e) for e in self._scans], {}, parts)
            nan = [f"{name}_nan" for e, name in pairs if body.monoid(e).nan]
            body.pragma(f"scan inclusive({', '.join([*parts.values(), *nan])})")
            with body.braces():
                scope: Scope = {}
                for e in self._scans:
                    self._running(e, parts, carries, scope)
                point([e for e in self._effects if not isinstance(e, Scan)], scope, {})

    def _running(self, e: Scan, parts: Into, carries: Into, scope: Scope) -> None:
        """The running value at a point, from the accumulators there."""
        body, m, (name,) = self._body, self._body.monoid(e), e.names
        text, kind = parts[name], running_kinds(body, e)[name]
        if m.nan:
            text = f"{text}_nan ? {m.nan} : {text}"
        if carries:
            body.w.line(f"{kind} {name}_all = {carries[name]};", e.origins)
            body.combine(e, (f"{name}_all",), (f"({text})" if m.nan else text,))
            text = f"{name}_all"
        own = element_type(body.kernel.dtype_of(e.args[0]))
        body.w.line(f"{own} {name} = {body.final(e.args[0], text, kind)};", e.origins)
        scope[name] = name


def as_reduce(e: Scan) -> Reduce:
    """The reduction whose result is the scan's last value."""
    return Reduce(e.names, e.dtypes, e.monoid, e.args, e.origins)
