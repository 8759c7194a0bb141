"""Small graphs with regions, of each kind of control flow and at its edges."""

from collections.abc import Iterator

import numpy as np

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.types import F32, I32, TensorType
from conformance.operations.cases import Case, random

ROW, SCALAR = TensorType(F32, (4,)), TensorType(I32)


def while_loop(limit: int = 3) -> Case:
    """Counts to `limit`; x grows by an invariant."""
    b = Builder()
    x, step = b.parameter(ROW), b.parameter(ROW)
    types = [SCALAR, ROW, ROW]
    cond = b.region("cond", types, lambda i, x, s: [b.compare(i, b.scalar(limit, I32), "LT")])
    body = b.region(
        "body", types, lambda i, x, s: [b.node("add", i, b.scalar(1, I32)), b.node("add", x, s)]
    )
    result = b.operation("while", [b.scalar(0, I32), x, step], [cond, body], carried=2)
    inputs = (random(F32, (4,)), random(F32, (4,), 1))
    return Case(f"while to {limit}", b.graph("f", result), inputs)


def scan(length: int = 3, *, reverse: bool = False) -> Case:
    """tanh(h @ w + x): carried and stacked, with another row that is a scanned one as it is."""
    b = Builder()
    h, xs, w = (b.parameter(TensorType(F32, s)) for s in ((2, 3), (length, 2, 3), (3, 3)))

    def step(h: Value, x: Value, w: Value) -> list[Value]:
        product = b.dot_general(h, w, contract=((1,), (0,)))
        new = b.node("tanh", b.node("add", product, x))
        return [new, new, x, b.reduce(new, "add", (0, 1))]

    row = TensorType(F32, (2, 3))
    body = b.region("body", [row, row, w.type], step)
    result = b.operation(
        "scan", [h, xs, w], [body], length=length, reverse=reverse, carried=1, scanned=1
    )
    inputs = (random(F32, (2, 3)), random(F32, (length, 2, 3), 1), random(F32, (3, 3), 2))
    return Case(f"scan of {length}{' reversed' * reverse}", b.graph("f", result), inputs)


def rotation(length: int = 5) -> Case:
    """(a, b, c, d) -> (b, a + b, w, d): an old value is passed on, an invariant, itself."""
    b = Builder()
    values = [b.parameter(ROW) for _ in range(5)]
    body = b.region(
        "body", [ROW] * 5, lambda x, y, z, kept, w: [y, b.node("add", x, y), w, kept, z]
    )
    result = b.operation("scan", values, [body], length=length, reverse=False, carried=4, scanned=0)
    return Case(
        f"rotation of {length}", b.graph("f", result), tuple(random(F32, (4,), i) for i in range(5))
    )


def rows_only() -> Case:
    """Nothing is carried."""
    b = Builder()
    xs = b.parameter(TensorType(F32, (3, 4)))
    body = b.region("body", [ROW], lambda x: [b.node("negate", x), x])
    result = b.operation("scan", [xs], [body], length=3, reverse=True, carried=0, scanned=1)
    return Case("scan of rows", b.graph("f", result), (random(F32, (3, 4)),))


def case(index: int) -> Case:
    """One of three branches: computed, passed on, constant."""
    b = Builder()
    i, x, y = b.parameter(SCALAR), b.parameter(ROW), b.parameter(ROW)
    types = [ROW, ROW]
    branches = [
        b.region("branch0", types, lambda x, y: [b.node("add", x, y), x]),
        b.region("branch1", types, lambda x, y: [y, y]),
        b.region("branch2", types, lambda x, y: [b.node("tanh", x)] * 2),
    ]
    result = b.operation("case", [i, x, y], branches)
    inputs = (np.array(index, np.int32), random(F32, (4,)), random(F32, (4,), 1))
    return Case(f"case {index}", b.graph("f", result), inputs)


def call() -> Case:
    b = Builder()
    x = b.parameter(ROW)
    unit = b.region("unit", [ROW], lambda x: [b.node("tanh", x), x])
    return Case("call", b.graph("f", b.operation("call", [x], [unit])), (random(F32, (4,)),))


def nested() -> Case:
    """A while with a case in its body, in a scan; the inner ones use what is outside of both."""
    b = Builder()
    xs, w = b.parameter(TensorType(F32, (3, 4))), b.parameter(ROW)

    def inner(i: Value, x: Value, w: Value) -> list[Value]:
        double = b.region("branch0", [ROW, ROW], lambda x, w: [b.node("add", x, x)])
        add = b.region("branch1", [ROW, ROW], lambda x, w: [b.node("add", x, w)])
        (new,) = b.operation("case", [i, x, w], [double, add])
        return [b.node("add", i, b.scalar(1, I32)), new]

    def step(carry: Value, x: Value, w: Value) -> list[Value]:
        types = [SCALAR, ROW, ROW]
        cond = b.region("cond", types, lambda i, x, w: [b.compare(i, b.scalar(3, I32), "LT")])
        body = b.region("body", types, inner)
        total = b.node("add", carry, x)
        _, last = b.operation("while", [b.scalar(0, I32), total, w], [cond, body], carried=2)
        return [last, last]

    body = b.region("body", [ROW, ROW, ROW], step)
    result = b.operation("scan", [w, xs, w], [body], length=3, reverse=False, carried=1, scanned=1)
    return Case("nested", b.graph("f", result), (random(F32, (3, 4)), random(F32, (4,), 1)))


def _counted(b: Builder, x: Value, places: Value) -> Value:
    """1 added at each place, 0 to 3."""
    ones = b.scalar(1.0, F32, places.type.shape)
    return b.node(
        "scatter", x, places, ones,
        update_window_dims=(), inserted_window_dims=(0,), input_batching_dims=(),
        scatter_indices_batching_dims=(), scatter_dims_to_operand_dims=(0,), index_vector_dim=1,
        combine="add", out_of_bounds="mask", unique=False,
    )  # fmt: skip


def scatter_in_a_loop() -> Case:
    """Into what the loop carries."""
    b = Builder()
    x, places = b.parameter(ROW), b.parameter(TensorType(I32, (3, 2)))

    def step(x: Value, at: Value) -> list[Value]:
        return [_counted(b, x, at), x]

    body = b.region("body", [ROW, TensorType(I32, (2,))], step)
    result = b.operation("scan", [x, places], [body], length=3, reverse=False, carried=1, scanned=1)
    inputs = (random(F32, (4,)), np.array([[0, 3], [3, 3], [1, 2]], np.int32))
    return Case("scatter in a loop", b.graph("f", result), inputs)


def scatter_in_a_branch() -> Case:
    """Into what the branch is given, which the graph returns as well."""
    b = Builder()
    which, x, at = b.parameter(SCALAR), b.parameter(ROW), b.parameter(TensorType(I32, (2,)))
    types = [ROW, at.type]
    branches = [
        b.region("branch0", types, lambda x, at: [b.node("negate", x)]),
        b.region("branch1", types, lambda x, at: [_counted(b, x, at)]),
    ]
    result = b.operation("case", [which, x, at], branches)
    inputs = (np.array(1, np.int32), random(F32, (4,)), np.array([3, 1], np.int32))
    return Case("scatter in a branch", b.graph("f", [*result, x]), inputs)


def every() -> Iterator[Case]:
    yield from (while_loop(n) for n in (0, 1, 2, 3))
    yield from (scan(n, reverse=r) for n in (0, 1, 2, 5) for r in (False, True))
    yield from (rotation(n) for n in (0, 1, 2, 5))
    yield from (case(i) for i in (0, 1, 2, 3, -1))
    yield from (rows_only(), call(), nested(), scatter_in_a_loop(), scatter_in_a_branch())
