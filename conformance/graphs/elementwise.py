"""Steps of elementwise operations, each in all types that it is for."""

from functools import partial

from compiler_core.ir.ops import COMPARE_DIRECTIONS, FAMILIES
from compiler_core.ir.types import BOOL, DTYPES, F32, DType, TensorType
from conformance.graphs.growing import Growing, Known
from conformance.graphs.table import Step, dtypes_of


def _first(g: Growing, op: str) -> Known:
    known = dtypes_of(op)
    # f32 as often as all others: it is what programs are made of.
    own = F32 if F32 in known and g.chance(0.5) else g.rng.choice(known)
    return g.operand(lambda t: t.dtype in known, lambda: TensorType(own, g.shape()))


def second(g: Growing, x: Known, dtype: DType | None = None) -> Known:
    """Of the shape and type of `x`: such a value, or another one broadcast."""
    wanted = x.type.with_dtype(dtype or x.type.dtype)

    def smaller(type_: TensorType) -> bool:
        pairs = zip(reversed(type_.shape), reversed(wanted.shape), strict=False)
        return (
            type_.dtype is wanted.dtype
            and type_.rank < wanted.rank
            and all(a == b for a, b in pairs)
        )

    small = g.pick(smaller) if g.chance(0.4) else None
    if small is None:
        return g.like(x, dtype)
    first = wanted.rank - small.rank
    dims = tuple(range(first, wanted.rank))
    return g.add("broadcast_in_dim", small, shape=wanted.shape, dimensions=dims)[0]


def _pointwise(g: Growing, op: str, arity: int) -> Known:
    x = _first(g, op)
    return g.add(op, x, *(second(g, x) for _ in range(arity - 1)))[0]


def _compare(g: Growing) -> Known:
    x = _first(g, "compare")
    return g.add("compare", x, second(g, x), direction=g.rng.choice(COMPARE_DIRECTIONS))[0]


def _select(g: Growing) -> Known:
    x = _first(g, "select")
    return g.add("select", second(g, x, BOOL), x, second(g, x))[0]


def _convert(g: Growing) -> Known:
    x = _first(g, "convert")
    return g.add(
        "convert", x, dtype=g.rng.choice([d for d in DTYPES.values() if d is not x.type.dtype])
    )[0]


def _bitcast_convert(g: Growing) -> Known:
    x = _first(g, "divide")
    as_wide = [d for d in DTYPES.values() if d.bits == x.type.dtype.bits and d is not BOOL]
    return g.add("bitcast_convert", x, dtype=g.rng.choice(as_wide))[0]


STEPS: dict[str, Step] = {
    **{
        row.name: partial(_pointwise, op=row.name, arity=row.arity or 1)
        for row in FAMILIES["elementwise"]
    },
    "compare": _compare,
    "select": _select,
    "convert": _convert,
    "bitcast_convert": _bitcast_convert,
}
