"""How monoids with several components combine, as a region of scalar operations.

The numpy table in ir/monoids.py is the oracle. jax.lax, torch and StableHLO all walk these regions,
so that a tuple monoid is written down once for all three.
"""

from collections.abc import Callable
from functools import lru_cache

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Region, Value
from compiler_core.ir.monoids import MONOIDS, Extremum, for_dtype
from compiler_core.ir.ops import OPS
from compiler_core.ir.types import DType, TensorType

# Above the ids of any graph that it is printed in.
_FIRST_ID = 10**9

Values = tuple[Value, ...]


@lru_cache(maxsize=256)
def combination(monoid: str, dtypes: tuple[DType, ...]) -> Region:
    """A region that combines two tuples of n components: 2n scalar arguments (first one tuple, then
    the other), n results."""
    b = Builder(_FIRST_ID)
    count = len(dtypes)

    def body(*values: Value) -> Values:
        return _BODIES[monoid](b, values[:count], values[count:])

    return b.region(monoid, [TensorType(t) for t in (*dtypes, *dtypes)], body)


@lru_cache(maxsize=256)
def weight(monoid: str, dtypes: tuple[DType, ...]) -> int:
    """The arithmetic of one combination, in adds."""
    name = for_dtype(monoid, dtypes[0])
    return sum(OPS[o.op].cost for o in combination(name, dtypes).operations)


def _plain(op: str) -> Callable[[Builder, Values, Values], Values]:
    return lambda b, a, c: (b.node(op, a[0], c[0]),)


def _indexed(kept: Extremum) -> Callable[[Builder, Values, Values], Values]:
    closer, nearer = "GT" if kept.largest else "LT", "GT" if kept.last else "LT"

    def body(b: Builder, a: Values, c: Values) -> Values:
        (x, i), (y, j) = a, c
        beyond, equal = b.compare(y, x, closer), b.compare(y, x, "EQ")
        if x.type.dtype.is_float:
            nan_x, nan_y = b.compare(x, x, "NE"), b.compare(y, y, "NE")
            beyond = b.node("or", beyond, b.node("and", nan_y, b.node("not", nan_x)))
            equal = b.node("or", equal, b.node("and", nan_y, nan_x))
        first = b.node("and", equal, b.compare(j, i, nearer))
        take = b.node("or", beyond, first)
        return b.node("select", take, y, x), b.node("select", take, j, i)

    return body


def _latest(b: Builder, a: Values, c: Values) -> Values:
    (i, x), (j, y) = a, c
    take = b.compare(j, i, "GT")
    return b.node("select", take, j, i), b.node("select", take, y, x)


def _welford(b: Builder, a: Values, c: Values) -> Values:
    (mean, squares, count), (mean_c, squares_c, count_c) = a, c
    zero = b.scalar(0.0, count.type.dtype)
    total = b.node("add", count, count_c)
    some = b.compare(total, zero, "NE")
    share = b.node("select", some, b.node("divide", count_c, total), zero)
    away = b.node("subtract", mean_c, mean)
    lost = b.node("add", b.node("subtract", mean, mean), b.node("subtract", mean_c, mean_c))
    moved = b.node(
        "select", b.compare(lost, zero, "EQ"),
        b.node("add", mean, b.node("multiply", away, share)), b.node("add", mean, mean_c),
    )  # fmt: skip
    between = b.node("multiply", b.node("multiply", away, away), b.node("multiply", count, share))
    both = b.node("add", b.node("add", squares, squares_c), lost)
    return moved, b.node("add", both, between), total


def _complex_product(b: Builder, a: Values, c: Values) -> Values:
    (re, im), (re_c, im_c) = a, c

    def combined(op: str, x: tuple[Value, Value], y: tuple[Value, Value]) -> Value:
        return b.node(op, b.node("multiply", *x), b.node("multiply", *y))

    return combined("subtract", (re, re_c), (im, im_c)), combined("add", (re, im_c), (im, re_c))


def _online_softmax(b: Builder, a: Values, c: Values) -> Values:
    (top_a, sum_a), (top_c, sum_c) = a, c
    top = b.node("maximum", top_a, top_c)
    one = b.scalar(1.0, top.type.dtype)

    def scaled(value: Value, own: Value) -> Value:
        # Two infinities of one sign have no difference.
        power = b.node("exponential", b.node("subtract", own, top))
        return b.node("multiply", value, b.node("select", b.compare(own, top, "EQ"), one, power))

    return top, b.node("add", scaled(sum_a, top_a), scaled(sum_c, top_c))


_BODIES: dict[str, Callable[[Builder, Values, Values], Values]] = {
    **{op: _plain(op) for op in ("add", "multiply", "maximum", "minimum", "and", "or")},
    **{name: _indexed(m.extremum) for name, m in MONOIDS.items() if m.extremum},
    "latest": _latest,
    "welford": _welford,
    "complex_product": _complex_product,
    "online_softmax": _online_softmax,
}
