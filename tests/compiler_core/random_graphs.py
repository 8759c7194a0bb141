"""Random graphs, for tests that hold a plan against the numpy meaning of its graph."""

from hypothesis import strategies as st

from compiler_core.ir.build import Builder
from compiler_core.ir.sizes import Size, bounds, is_multiple
from compiler_core.ir.types import F32, TensorType

_UNARY = ("abs", "negate", "exponential", "tanh", "logistic", "floor")
_BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "divide")
_DIMS = st.sampled_from((1, 2, 3, 4, 6))


@st.composite
def graphs(draw, dims=_DIMS):
    """Up to twelve operations over up to three small f32 inputs, with sizes of `dims`; every value
    a possible output."""
    b = Builder()
    shapes = draw(st.lists(st.lists(dims, max_size=3).map(tuple), min_size=1, max_size=3))
    values = [b.parameter(TensorType(F32, s)) for s in shapes]
    for number in range(draw(st.integers(1, 12))):
        with b.origin(number):
            values.append(_operation(draw, b, values))
    outputs = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3))
    return b.graph("random", [values[-1], *outputs])


def _operation(draw, b, values):
    x = draw(st.sampled_from(values))
    kind = draw(st.sampled_from(sorted(_MAKE)))
    return _MAKE[kind](draw, b, x, values)


def _unary(draw, b, x, values):
    return b.node(draw(st.sampled_from(_UNARY)), x)


def _binary(draw, b, x, values):
    fits = [v for v in values if _broadcasts(v.type.shape, x.type.shape)]
    y = b.broadcast(draw(st.sampled_from(fits)), x.type.shape)
    return b.node(draw(st.sampled_from(_BINARY)), x, y)


def _broadcasts(small, large):
    pairs = zip(reversed(small), reversed(large), strict=False)
    return len(small) <= len(large) and all(s in (1, t) for s, t in pairs)


def _reduce(draw, b, x, values):
    dims = draw(st.sets(st.integers(0, max(0, x.type.rank - 1)), max_size=2))
    dims = [d for d in dims if d < x.type.rank]
    monoid = draw(st.sampled_from(("add", "maximum", "minimum")))
    return b.reduce(x, monoid, dims, keepdims=draw(st.booleans()))


def _transpose(draw, b, x, values):
    return b.transpose(x, draw(st.permutations(range(x.type.rank))))


def _reshape(draw, b, x, values):
    """Merges two dimensions, splits one, or adds one of size 1."""
    shape = x.type.shape
    at = draw(st.integers(0, max(0, len(shape) - 2)))
    how = draw(st.sampled_from(("merge", "split", "add")))
    if len(shape) >= 2 and how == "merge":
        return b.reshape(x, (*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :]))
    if shape and is_multiple(shape[-1], 2) and how == "split":
        return b.reshape(x, (*shape[:-1], shape[-1] // 2, 2))
    return b.reshape(x, (*shape[:at], 1, *shape[at:]))


def _slice(draw, b, x, values):
    start = [draw(st.integers(0, bounds(s)[0] - 1)) for s in x.type.shape]
    strides = [1 if isinstance(s, Size) else draw(st.integers(1, 2)) for s in x.type.shape]
    return b.node("slice", x, start=tuple(start), limit=x.type.shape, strides=tuple(strides))


def _concatenate(draw, b, x, values):
    alike = [v for v in values if v.type.rank and v.type.shape[:-1] == x.type.shape[:-1]]
    if not x.type.rank:
        return b.node("negate", x)
    return b.node("concatenate", x, draw(st.sampled_from(alike)), dimension=x.type.rank - 1)


def _pad(draw, b, x, values):
    if not x.type.rank:
        return b.node("abs", x)
    low = tuple(draw(st.integers(0, 2)) for _ in x.type.shape)
    return b.node(
        "pad", x, b.scalar(0.5, F32), low=low, high=low[::-1], interior=(0,) * x.type.rank
    )


def _dot(draw, b, x, values):
    if x.type.rank < 2:
        return b.node("tanh", x)
    return b.dot_general(x, x, contract=((0,), (0,)))


_MAKE = {
    "binary": _binary, "binary again": _binary, "concatenate": _concatenate, "dot": _dot,
    "pad": _pad, "reduce": _reduce, "reduce again": _reduce, "reshape": _reshape,
    "slice": _slice, "transpose": _transpose, "unary": _unary,
}  # fmt: skip
