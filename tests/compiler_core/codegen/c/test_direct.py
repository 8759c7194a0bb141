"""Convolutions in C: tiles of features by places, in registers."""

import itertools

import numpy as np
import pytest

from compiler_core.codegen.c.emit import emit
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.graph import Graph
from compiler_core.ir.types import F32, F64, DType, TensorType
from compiler_core.plan.plan import Plan
from tests.compiler_core.codegen.c.graphs import plan_of, run
from tests.compiler_core.ir import cases_convolution
from tests.compiler_core.ir.cases import random


def graph_of(dtype: DType, *convolutions) -> Graph:
    """Each of (input sizes, kernel sizes, numbers), side by side."""
    b = Builder()
    results = []
    for left, right, attrs in convolutions:
        x, w = b.parameter(TensorType(dtype, left)), b.parameter(TensorType(dtype, right))
        results.append(b.convolution(x, w, **attrs))
    return b.graph("f", results)


def check(graph: Graph) -> Plan:
    """Everything in it is generated, and is what numpy says."""
    plan = plan_of(graph)
    assert {x.schedule.strategy for x in plan.launches} == {"direct"}
    dtype = graph.inputs[0].type.dtype
    inputs = [random(dtype, x.type.sizes, i) for i, x in enumerate(graph.inputs)]
    for found, expected in zip(run(graph, inputs), evaluate(graph, inputs), strict=True):
        tolerance = 1e-12 if dtype is F64 else 2e-5
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    return plan


# Features and sizes around those of a tile, whole and with rests.
TILES = [
    ((batch, 3, high, wide), (features, 3, 3, 3), {"low": (1, 1), "high": (1, 1)})
    for batch, high, wide, features in itertools.product(
        (1, 2), (1, 5), (4, 16, 35), (1, 3, 8, 10, 17)
    )
]
STEPS = [
    ((2, 4, 13, 14), (6, 4 // groups, *window),
     {"strides": (stride, 1 + stride // 2), "rhs_dilation": (dilation, 1), "low": (low, 1),
      "high": (1, low), "groups": groups})
    for window, stride, dilation, low, groups in itertools.product(
        ((1, 1), (3, 2), (5, 5)), (1, 2, 3), (1, 2), (0, 2), (1, 2)
    )
]  # fmt: skip
IN_PLACE = [
    ((2, 5, 6, wide), (features, 5, *window), {})
    for wide, features, window in itertools.product((3, 16, 37), (4, 9), ((1, 1), (1, 3), (3, 3)))
    if window[1] <= wide
]


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("some", "dtype"),
    [(TILES, F32), (TILES[::3], F64), (STEPS, F32), (IN_PLACE, F32)],
    ids=["tiles", "tiles-f64", "steps", "in-place"],
)
def test_it_is_a_convolution(some, dtype):
    plan = check(graph_of(dtype, *some))
    packed = {bool(x.step.scratch) for x in plan.launches}
    assert packed == ({False} if some is IN_PLACE else {True})


@pytest.mark.cpu
def test_operands_in_any_order_and_turned():
    names = ("channels-last", "channels-first-out", "reversed", "cropped", "line", "volume")
    check(graph_of(F32, *(cases_convolution.NUMBERS[name] for name in names)))


@pytest.mark.cpu
def test_threads_share_what_is_large_and_change_nothing():
    plan = check(graph_of(F32, ((2, 16, 33, 34), (20, 16, 3, 3), {})))
    assert "#pragma omp parallel num_threads(threads)" in emit(plan).source.text


@pytest.mark.cpu
def test_an_image_that_is_its_own_kernel():
    b = Builder()
    x = b.parameter(TensorType(F32, (3, 3, 5, 5)))
    check(b.graph("f", [b.convolution(x, x, low=(2, 2), high=(2, 2))]))


def test_convolutions_of_one_shape_are_one_function():
    shape = ((1, 4, 8, 8), (4, 4, 3, 3), {"low": (1, 1), "high": (1, 1)})
    b = Builder()
    x = b.parameter(TensorType(F32, shape[0]))
    for _ in range(3):
        x = b.convolution(x, b.parameter(TensorType(F32, shape[1])), **shape[2])
    text = emit(plan_of(b.graph("f", [x]))).source.text
    assert text.count("static void") == 1 and text.count("    k0_convolution(") == 3


def test_every_line_knows_its_operation():
    b = Builder()
    x, w = b.parameter(TensorType(F32, (1, 4, 8, 8))), b.parameter(TensorType(F32, (4, 4, 3, 3)))
    with b.origin(7):
        result = b.convolution(x, w)
    source = emit(plan_of(b.graph("f", [result]))).source
    lines = dict(zip(source.text.splitlines(), source.nodes, strict=False))
    assert all(nodes == (7,) for line, nodes in lines.items() if "sum[" in line)


def test_the_text_reads_as_a_person_would_write_it(golden):
    golden(emit(plan_of(cases_convolution.case("strided", F32).graph)).source.text)


def test_an_image_without_edges_is_read_in_place(golden):
    graph = graph_of(F32, ((8, 64, 28, 28), (96, 64, 1, 1), {}))
    golden(emit(plan_of(graph)).source.text)
