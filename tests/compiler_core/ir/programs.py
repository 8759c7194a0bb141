"""Random small programs of many operations, for property tests."""

from collections.abc import Callable

from hypothesis import strategies as st

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Value
from compiler_core.ir.types import F32, TensorType

ROWS, COLUMNS = 3, 4
SHAPE = (ROWS, COLUMNS)

Step = Callable[[Builder, Value, Value], Value]


def _repeated(b: Builder, reduced: Value, dimension: int) -> Value:
    return b.broadcast_in_dim(reduced, SHAPE, (1 - dimension,))


def _scaled(b: Builder, x: Value, y: Value) -> Value:
    """x (y^T x), bounded so that no error grows."""
    product = b.dot_general(x, b.node("tanh", y), contract=((1,), (1,)))
    back = b.dot_general(product, b.node("tanh", x), contract=((1,), (0,)))
    return b.node("tanh", back)


# Every step keeps the shape and, for values of a reasonable size, the size.
STEPS: dict[str, Step] = {
    "add": lambda b, x, y: b.node("add", x, y),
    "subtract": lambda b, x, y: b.node("subtract", x, y),
    "multiply": lambda b, x, y: b.node("multiply", b.node("tanh", x), y),
    "divide": lambda b, x, y: b.node(
        "divide", x, b.node("add", b.node("abs", y), b.scalar(1.0, F32, SHAPE))
    ),
    "logistic": lambda b, x, y: b.node("logistic", x),
    "sine": lambda b, x, y: b.node("sine", x),
    "erf": lambda b, x, y: b.node("erf", x),
    "relu": lambda b, x, y: b.node("maximum", x, b.scalar(0.0, F32, SHAPE)),
    "select": lambda b, x, y: b.node("select", b.compare(x, y, "GT"), x, y),
    "row sums": lambda b, x, y: _repeated(b, b.reduce(x, "add", (1,)), 1),
    "column maxima": lambda b, x, y: _repeated(b, b.reduce(x, "maximum", (0,)), 0),
    "scan": lambda b, x, y: b.node("cumulative", x, monoid="add", dimension=1, reverse=False),
    "reverse": lambda b, x, y: b.node("reverse", x, dimensions=(1,)),
    "turned": lambda b, x, y: b.reshape(b.transpose(x, (1, 0)), SHAPE),
    "halves": lambda b, x, y: b.node(
        "concatenate",
        b.node("slice", x, start=(0, 0), limit=(ROWS, 2), strides=(1, 1)),
        b.node("slice", y, start=(0, 2), limit=SHAPE, strides=(1, 1)),
        dimension=1,
    ),
    "product": _scaled,
}


@st.composite
def programs(draw: st.DrawFn) -> Graph:
    b = Builder()
    values = [b.parameter(TensorType(F32, SHAPE)) for _ in range(2)]
    for name in draw(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=10)):
        x, y = (draw(st.sampled_from(values)) for _ in range(2))
        values.append(STEPS[name](b, x, y))
    return b.graph("program", [values[-1], draw(st.sampled_from(values))])
