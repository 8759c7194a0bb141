"""Steps of reductions, scans and windows with each monoid."""

from typing import Any

from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.types import BOOL, I32, I64, DType, TensorType
from conformance.graphs.growing import Growing, Known, Unfit
from conformance.graphs.table import FLOATS, NUMBERS, Step

_PLAIN = tuple(name for name, m in MONOIDS.items() if len(m.components) == 1)
_BITS = ("and", "or")
_OF_FLOATS = ("welford", "complex_product", "online_softmax")


def _element(g: Growing, some: tuple[str, ...]) -> tuple[str, Known]:
    """A monoid, and values that can be the first component of its elements."""
    monoid = g.rng.choice(_PLAIN if g.chance(0.6) else some)
    known = FLOATS if monoid in _OF_FLOATS else [d for d in (*NUMBERS, BOOL) if _fits(monoid, d)]

    def make() -> TensorType:
        return TensorType(g.rng.choice(known), g.shape(1))

    return monoid, g.operand(lambda t: t.rank >= 1 and t.dtype in known, make)


def _fits(monoid: str, dtype: DType) -> bool:
    """Bits are of integers; of truths nobody asks for a place."""
    return not dtype.is_float if monoid in _BITS else dtype is not BOOL or monoid in _PLAIN


def _filled(g: Growing, monoid: str, x: Known, d: int) -> list[Known]:
    """The components of single elements whose first is `x`."""

    def number(value: float) -> Known:
        return g.add("constant", type=x.type, value=value)[0]

    def place() -> Known:
        type_ = x.type.with_dtype(g.rng.choice((I32, I64)))
        return g.add("iota", type=type_, dimension=d)[0]

    if monoid in _PLAIN:
        return [x]
    if monoid == "latest":
        return [place(), x]
    if monoid == "welford":
        # Of an infinite one the squares are no number, as those of any two of which one is.
        return [x, g.add("subtract", x, x)[0], number(1.0)]
    if monoid == "complex_product":
        # An infinity or NaN times the neutral element is not itself: who begins with that, as
        # kernels and torch do, has another result than who does not.
        return [g.add("select", g.add("is_finite", x)[0], x, number(2.0))[0], number(1.0)]
    return [x, number(1.0)] if monoid in _OF_FLOATS else [x, place()]


def _reduce(g: Growing) -> Known:
    monoid, x = _element(g, tuple(MONOIDS))
    d = g.below(x.rank)
    placed = monoid not in (*_PLAIN, *_OF_FLOATS)
    dims = (d,) if placed else g.some(range(x.rank)) or (d,)
    parts = _filled(g, monoid, x, d)
    return g.rng.choice(g.add("reduce", *parts, monoid=monoid, dimensions=dims))


def _cumulative(g: Growing) -> Known:
    monoid, x = _element(g, tuple(MONOIDS))
    d = g.below(x.rank)
    parts = _filled(g, monoid, x, d)
    found = g.add("cumulative", *parts, monoid=monoid, dimension=d, reverse=g.chance(0.3))
    return g.rng.choice(found)


def _reduce_window(g: Growing) -> Known:
    monoid, x = _element(g, ("argmax", "argmin"))
    if any(g.least(s) != s for s in x.shape):
        raise Unfit("windows of sizes that are numbers")

    def each(*choices: int) -> tuple[int, ...]:
        return tuple(g.rng.choice(choices) for _ in x.shape)

    numbers: dict[str, Any] = {
        "window": each(1, 1, 2, 3), "strides": each(1, 1, 2, 3), "base_dilation": each(1, 1, 1, 2),
        "window_dilation": each(1, 1, 1, 2), "low": each(0, 0, 1, -1), "high": each(0, 0, 1, 2),
    }  # fmt: skip
    parts = _filled(g, monoid, x, x.rank - 1)
    return g.rng.choice(g.add("reduce_window", *parts, monoid=monoid, **numbers))


STEPS: dict[str, Step] = {
    "reduce": _reduce,
    "cumulative": _cumulative,
    "reduce_window": _reduce_window,
}
