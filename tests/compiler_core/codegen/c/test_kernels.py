"""Every walk computes what the graph means: accurate, with NaN kept, at odd and empty sizes."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from compiler_core.ir import eval_numpy
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph
from compiler_core.ir.types import BF16, BOOL, F16, F32, F64, I32, I64, U8
from compiler_core.runtime import cpu
from compiler_core.schedule.cpu.choice import choose_cpu
from conformance.operations import cases
from tests.compiler_core import random_graphs
from tests.compiler_core.codegen.c import graphs
from tests.compiler_core.codegen.c.graphs import (
    kernels_of,
    layer_norm,
    reduction,
    run,
    softmax,
    transposed_sum,
)

pytestmark = pytest.mark.cpu


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).standard_normal(shape).astype(np.float32)


def exact(graph: Graph, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """The same operations in float64."""
    return eval_numpy.evaluate(graph, [x.astype(np.float64) for x in inputs])


def walk(graph: Graph) -> str:
    (kernel,) = kernels_of(graph)
    return choose_cpu(kernel)[0].strategy


WALKS = {
    "flat": graphs.bias_gelu(37, 65),
    "rows": softmax((37, 65), 1),
    "rows of several axes": reduction((5, 6, 7, 9), (1, 3), "add"),
    "flat in tiles": transposed_sum(130, 70),
    "flat in whole tiles": transposed_sum(64, 128),
    "columns": softmax((65, 37), 0),
    "columns between": reduction((5, 65, 7), (1,), "add"),
    "columns of short rows": reduction((5, 65, 3), (2,), "add"),
    "columns of largest of few": reduction((365, 4), (1,), "maximum"),
    "split": reduction((200_001,), (0,), "add"),
    "split rows": softmax((2, 80_001), 1),
    "layer norm": layer_norm((33, 77)),
}


@pytest.mark.parametrize("name", WALKS)
def test_walk_computes_what_the_graph_means(name):
    graph = WALKS[name]
    assert walk(graph) == {"layer norm": "rows"}.get(name, name.split()[0])
    inputs = [random(*x.type.shape) for x in graph.inputs]
    for ours, reference in zip(run(graph, inputs), exact(graph, inputs), strict=True):
        np.testing.assert_allclose(ours, reference, rtol=3e-6, atol=3e-6)


@pytest.mark.parametrize("dtype", [F64, F16, BF16])
def test_softmax_of_other_floats(dtype):
    graph, x = softmax((20, 300), 1, dtype), cases.random(dtype, (20, 300))
    ours = run(graph, [x])[0].astype(np.float64)
    reference = exact(softmax((20, 300), 1, F64), [x])[0]
    tolerance = {"f64": 1e-14, "f16": 1e-3, "bf16": 8e-3}[dtype.name]
    np.testing.assert_allclose(ours, reference, rtol=tolerance)


# -- accuracy: never more than twice as far from float64 as eager is

LONG = {
    "row sums": ((40, 20_000), (1,), "sum"),
    "column sums": ((20_000, 40), (0,), "sum"),
    "full sum": ((1 << 20,), (0,), "sum"),
    "row products": ((300, 40), (1,), "prod"),
}


@pytest.mark.parametrize("name", LONG)
def test_long_reductions_are_as_accurate_as_eager(name):
    shape, axes, function = LONG[name]
    monoid = {"sum": "add", "prod": "multiply"}[function]
    x = np.random.default_rng(1).uniform(0.5, 1.5, shape).astype(np.float32)
    reference = getattr(np, function)(x.astype(np.float64), axis=axes)
    ours = run(reduction(shape, axes, monoid), [x])[0]
    eager = getattr(torch, function)(torch.from_numpy(x), *axes).numpy()
    spacing = np.spacing(np.abs(reference).astype(np.float32)).max()
    worst = np.abs(ours - reference).max()
    assert worst <= max(2 * np.abs(eager - reference).max(), 2 * spacing)


def test_softmax_is_as_accurate_as_eager():
    x = random(64, 5000)
    reference = exact(softmax(x.shape, 1), [x])[0]
    eager = torch.softmax(torch.from_numpy(x), 1).numpy()
    ours = run(softmax(x.shape, 1), [x])[0]
    worst = np.abs(ours / reference - 1).max()
    assert worst <= 2 * np.abs(eager / reference - 1).max()


def test_sums_do_not_depend_on_the_number_of_threads():
    x = torch.from_numpy(random(1 << 18))
    program = cpu.build(graphs.plan_of(reduction(tuple(x.shape), (0,), "add")))
    before = torch.get_num_threads()
    try:
        sums = []
        for count in (1, 2, 3):
            torch.set_num_threads(count)
            sums.append(program([x])[0].item())
    finally:
        torch.set_num_threads(before)
    assert len(set(sums)) == 1


# -- not a number, infinity


@pytest.mark.parametrize("monoid", ["maximum", "minimum", "add"])
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_reductions_keep_nan(monoid, axes):
    for at in ((0, 0), (16, 30), (33, 69)):
        x = random(34, 70)
        x[at] = np.nan
        graph = reduction(x.shape, axes, monoid)
        np.testing.assert_array_equal(
            np.isnan(run(graph, [x])[0]), np.isnan(eval_numpy.evaluate(graph, [x])[0])
        )


def test_extrema_of_infinities():
    x = np.full((3, 40), -np.inf, np.float32)
    x[1, 7], x[2] = 5, np.inf
    top = run(reduction((3, 40), (1,), "maximum"), [x])[0]
    np.testing.assert_array_equal(top, [-np.inf, 5, np.inf])


def test_softmax_rows_with_nan_or_infinity_are_nan_as_in_eager():
    x = random(4, 33)
    x[0, 3], x[1, 5], x[2] = np.nan, np.inf, -np.inf
    eager = torch.softmax(torch.from_numpy(x), 1).numpy()
    ours = run(softmax((4, 33), 1), [x])[0]
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(eager))


# -- types and sizes


def test_reductions_of_every_type_and_monoid():
    some = [c for d in (F32, BF16, I32, I64, U8, BOOL) for c in cases.reductions(d)]
    some = [c for c in some if c.name.startswith("reduce")]
    results = graphs.run_together([c.graph for c in some], [c.inputs for c in some])
    for case, (ours,) in zip(some, results, strict=True):
        (expected,) = eval_numpy.evaluate(case.graph, case.inputs)
        assert ours.dtype == expected.dtype and ours.shape == expected.shape, case
        a, e = (v.astype(np.float64) for v in (ours, expected))
        np.testing.assert_allclose(a, e, rtol=1e-6, atol=1e-6, err_msg=str(case))


def test_integer_sums_wrap():
    x = np.array([2**31 - 1, 1, 5], np.int32)
    assert run(reduction((3,), (0,), "add", I32), [x])[0] == x.sum(dtype=np.int32)


SIZES = [(0, 5), (5, 0), (1, 1), (1, 5), (5, 1), (3, 15), (2, 16), (3, 17), (7, 513)]


def test_odd_and_empty_sizes():
    programs = [
        make
        for m, n in SIZES
        for make in (
            *(softmax((m, n), axis) for axis in (0, 1) if m * n),
            reduction((m, n), (0, 1), "maximum"),
            reduction((m, n), (0,), "add"),
            graphs.bias_gelu(m, n),
        )
    ]
    inputs = [[random(*x.type.shape) for x in g.inputs] for g in programs]
    results = graphs.run_together(programs, inputs)
    for graph, xs, ours in zip(programs, inputs, results, strict=True):
        with np.errstate(all="ignore"):
            (expected,) = exact(graph, xs)
        np.testing.assert_allclose(ours[0], expected, rtol=2e-6, atol=2e-6, err_msg=str(graph))


def test_several_outputs_from_one_kernel():
    b = Builder()
    x = b.parameter(graphs.tensor_type((9, 50)))
    doubled = b.node("add", x, x)
    outputs = [doubled, b.reduce(doubled, "add", (1,)), b.node("exponential", doubled)]
    graph, values = b.graph("several", outputs), random(9, 50)
    for ours, expected in zip(run(graph, [values]), exact(graph, [values]), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=2e-6)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(random_graphs.graphs())
def test_random_graphs(graph):
    inputs = [random(*x.type.shape) for x in graph.inputs]
    with np.errstate(all="ignore"):
        expected = eval_numpy.evaluate(graph, inputs)
    for ours, e in zip(run(graph, inputs), expected, strict=True):
        # Comparisons after cancellation are loose: an infinity may be a large number.
        scale = np.abs(e[np.isfinite(e)]).max(initial=1)
        np.testing.assert_allclose(ours, e, rtol=1e-4, atol=1e-5 * scale)
