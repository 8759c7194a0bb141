"""What every step of a loop would compute alike moves out of it."""

import numpy as np
import pytest

from compiler_core.ir import eval_numpy
from compiler_core.ir.build import Builder
from compiler_core.ir.text import to_text
from compiler_core.ir.types import F32, F64, I32, TensorType
from compiler_core.ir.verify import verify
from compiler_core.passes.dots import order_matmuls
from compiler_core.passes.loops import move_out
from conformance.operations import cases_control as control
from conformance.operations.cases import random

X, W = TensorType(F32, (2, 4)), TensorType(F32, (4, 4))


def loop(step, *, op: str = "scan", weights: TensorType = W):
    """x, w -> `step` of both, three times; x is carried, w is not."""
    b = Builder()
    x, w = b.parameter(X), b.parameter(weights)
    with b.origin(0):
        if op == "scan":
            body = b.region("body", [X, w.type], lambda x, w: [step(b, x, w)])
            result = b.operation(
                "scan", [x, w], [body], length=3, reverse=False, carried=1, scanned=0
            )
        else:
            types = [TensorType(I32), X, w.type]
            cond = b.region("cond", types, lambda i, x, w: [b.compare(i, b.scalar(3, I32), "LT")])
            body = b.region(
                "body", types,
                lambda i, x, w: [b.node("add", i, b.scalar(1, I32)), step(b, x, w)],
            )  # fmt: skip
            result = b.operation("while", [b.scalar(0, I32), x, w], [cond, body], carried=2)[1:]
    return b.graph("f", result)


def moved(graph):
    """The operations before the loop, and those of its body; the values stay the same."""
    after, done = move_out(graph)
    verify(after, "loop-invariants")
    inputs = [random(x.type.dtype, x.type.shape, i) for i, x in enumerate(graph.inputs)]
    for a, e in zip(
        eval_numpy.evaluate(after, inputs), eval_numpy.evaluate(graph, inputs), strict=True
    ):
        np.testing.assert_allclose(a, e, rtol=1e-6)
    *outside, last = after.operations
    names = [[o.op for o in operations] for operations in (outside, last.regions[-1].operations)]
    return (*names, done)


def scaled(b: Builder, x, w):
    """x @ tanh(w)."""
    return b.dot_general(x, b.node("tanh", w), contract=((1,), (0,)))


@pytest.mark.parametrize("op", ["scan", "while"])
def test_arithmetic_on_invariants_is_done_once(op):
    outside, inside, (done,) = moved(loop(scaled, op=op))
    assert "tanh" in outside and "tanh" not in inside and "dot_general" in inside
    assert done.rule == "loop-invariant" and done.nodes == [0]


def test_a_chain_moves_whole_and_one_value_is_passed():
    outside, inside, done = moved(
        loop(lambda b, x, w: scaled(b, x, b.node("exponential", b.node("negate", w))))
    )
    assert outside == ["negate", "exponential", "tanh"] and inside == ["dot_general"]
    assert len(done) == 1


def test_what_is_larger_than_what_it_is_made_of_stays():
    def step(b, x, w):
        both = b.node("add", b.broadcast(w, (2, 4)), b.scalar(1.0, F32, (2, 4)))
        return b.node("add", x, both)

    graph = loop(step, weights=TensorType(F32, (4,)))
    assert move_out(graph)[0] is graph


def test_a_matrix_that_is_read_by_columns_is_turned_once():
    def step(b, x, w):
        return b.dot_general(x, b.transpose(w, (1, 0)), contract=((1,), (0,)))

    outside, inside, _ = moved(loop(step))
    assert outside == ["transpose"] and inside == ["dot_general"]


def test_a_product_by_columns_becomes_one_by_rows():
    """As JAX writes the transpose in a gradient."""
    outside, inside, _ = moved(loop(lambda b, x, w: b.dot_general(x, w, contract=((1,), (1,)))))
    assert outside == ["transpose"] and inside == ["dot_general"]


def test_a_conversion_to_a_narrower_type_moves():
    def step(b, x, w):
        return b.dot_general(x, b.convert(w, F32), contract=((1,), (0,)))

    outside, inside, _ = moved(loop(step, weights=TensorType(F64, (4, 4))))
    assert outside == ["convert"] and inside == ["dot_general"]


def test_what_depends_on_a_carried_value_stays():
    graph = loop(lambda b, x, w: b.node("tanh", x))
    assert move_out(graph)[0] is graph


def test_out_of_a_loop_in_a_loop_things_move_all_the_way():
    def step(b, x, w):
        body = b.region("inner", [X, W], lambda x, w: [scaled(b, x, w)])
        (result,) = b.operation(
            "scan", [x, w], [body], length=2, reverse=False, carried=1, scanned=0
        )
        return result

    outside, inside, done = moved(loop(step))
    assert outside == ["tanh"] and inside == ["scan"] and len(done) == 2


@pytest.mark.parametrize("case", list(control.every()), ids=str)
def test_where_nothing_moves_nothing_changes(case):
    assert to_text(move_out(case.graph)[0]) == to_text(case.graph)


def test_a_transposed_product_in_a_body_is_written_transposed():
    """As JAX writes the gradient of a weight that every step reads."""

    def step(b, x, w):
        product = b.dot_general(x, b.node("tanh", x), contract=((0,), (0,)))
        turned = b.transpose(product, (1, 0))
        return b.dot_general(x, b.node("add", turned, w), contract=((1,), (0,)))

    (scan,) = order_matmuls(loop(step))[0].operations
    assert "transpose" not in [o.op for o in scan.regions[0].operations]
