"""Mean and squared deviations in one pass over memory: blocks that stay in the first-level cache
are visited twice, and their moments are combined in f64.

    for each block:   m = sum x / n;  q = sum (x - m)^2
    (M, Q, N) and (m, q, n) of a block are (M + d n / (N + n), Q + q + d^2 N n / (N + n), N + n),
    where d = m - M

(Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample
variances", 1979.) A mean that is updated for each element needs a division each time, and in f32 is
less accurate than two passes; that of a block is as accurate.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from compiler_core.codegen.c.body import Body
from compiler_core.codegen.c.loops import Into, blocks, bounds, names_of, outer_loops
from compiler_core.kernel.effects import Effect, Reduce
from compiler_core.kernel.kernel import Axis


class Moments:
    """The loops over the reduce axes for the one reduction among `effects`, which is Welford's; of
    the axis `part`, only low <= part < high. A block has `block` elements."""

    def __init__(
        self,
        body: Body,
        block: int,
        effects: Sequence[Effect],
        into: Into,
        part: Axis | None = None,
    ) -> None:
        self._body, self._effects, self._into, self._part = body, effects, into, part
        self._size = block
        (self._reduce,) = (e for e in effects if isinstance(e, Reduce))

    def write(self, point: Callable[[Sequence[Effect], Into], None]) -> None:
        """Writes the loops; `point` writes some of the effects at one point into given
        accumulators."""
        *outer, last = self._body.kernel.reduce
        low, high = bounds(last, self._part)
        with (
            outer_loops(self._body, outer, self._part),
            blocks(self._body, self._size, low, high),
        ):
            self._block(last, point)

    def _block(self, last: Axis, point: Callable[[Sequence[Effect], Into], None]) -> None:
        body, e = self._body, self._reduce
        here = {name: f"{name}_here" for name in e.names}
        mean, squares, count = names_of(e, here)
        kind = body.monoid(e).types[0]
        body.w.line(f"{kind} {mean} = 0, {squares} = 0, {count} = end - block;", e.origins)
        with self._walk(last, mean):
            point([self._part_of("sum")], here)
        body.w.line(f"{mean} /= {count};", e.origins)
        with self._walk(last, squares):
            point([self._part_of("squares") if x is e else x for x in self._effects], here)
        body.combine(e, names_of(e, self._into), (mean, squares, count))

    def _part_of(self, what: str) -> Reduce:
        """What a walk of a block adds to its accumulators (codegen/c/monoids.py)."""
        return replace(self._reduce, monoid=f"{self._reduce.monoid} {what}")

    @contextmanager
    def _walk(self, last: Axis, accumulator: str) -> Iterator[None]:
        self._body.pragma(f"simd reduction(+ : {accumulator})")
        with self._body.innermost(last, "block", "end"):
            yield
