"""Reductions of tuples in vectors, and the loops over the reduce axes as a schedule has them."""

from collections.abc import Callable, Sequence

from compiler_core.codegen.c.body import Body
from compiler_core.codegen.c.loops import Blocks, Into, bounds, by_clause, names_of, outer_loops
from compiler_core.codegen.c.moments import Moments
from compiler_core.ir.sizes import Size, atom
from compiler_core.kernel.effects import Effect, Reduce
from compiler_core.kernel.kernel import Axis
from compiler_core.schedule.cpu.schedule import Inner


def reduce_loops(
    body: Body,
    inner: Inner,
    effects: Sequence[Effect],
    into: Into,
    point: Callable[[Sequence[Effect], Into], None],
    part: Axis | None = None,
) -> None:
    """The loops over the reduce axes around `point`, which writes effects at one point into given
    accumulators: all of `effects`, or some in each of several walks. Only low <= part < high of the
    axis `part`, if there is one."""
    reduces = [e for e in effects if isinstance(e, Reduce)]
    if inner.how == "moments":
        Moments(body, inner.width, effects, into, part).write(point)
        return
    if not by_clause(reduces):
        Lanes(body, inner.width, reduces, into, part).write(lambda names: point(effects, names))
        return
    for e in reduces:
        body.begin_vectors(e, into[e.names[0]])
    with Blocks(body, inner, reduces, into, part).open() as names:
        point(effects, names)
    for e in reduces:
        body.end_vectors(e, into[e.names[0]])


class Lanes:
    """The loops over the reduce axes for a reduction of tuples, which OpenMP has no clause for:
    elements `width` apart share an accumulator, so that neighbours are combined in vectors; after
    the loops the accumulators are combined in order. With a width of 0 there is one accumulator."""

    def __init__(
        self,
        body: Body,
        width: int,
        reduces: Sequence[Reduce],
        into: Into,
        part: Axis | None = None,
    ) -> None:
        self._body, self._width, self._part = body, width, part
        self._reduces, self._into = reduces, into

    def write(self, point: Callable[[Into], None]) -> None:
        """Writes the loops; `point` writes the effects at one point."""
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
        elif isinstance(last.extent, Size):
            body.w.line(f"{body.index} rest = {last.extent} - {atom(last.extent)} % {width};")
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
