"""Loops of reductions follow what is read."""

import numpy as np
import pytest

from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.parse import parse
from compiler_core.kernel.kernel import Load
from tests.compiler_core.codegen.c.graphs import kernels_of, run

# What is reduced lies in memory otherwise than it is seen.
SEEN = """
graph f(%0: f32[24,20,40]) {
  %1 = transpose(%0) {permutation = (2, 0, 1)} : f32[40,24,20]
  %2 = multiply(%1, %1) : f32[40,24,20]
  %3 = reduce(%2) {monoid = MONOID, dimensions = DIMENSIONS} : f32[SHAPE]
  return %3
}
"""
OVER = {
    "(0, 2)": "24",
    "(1, 2)": "40",
    "(0, 1)": "20",
    "(1)": "40,20",
    "(0)": "24,20",
    "(2)": "40,24",
}


def graph_over(dimensions, monoid="add"):
    text = SEEN.replace("DIMENSIONS", dimensions).replace("MONOID", monoid)
    return parse(text.replace("SHAPE", OVER[dimensions]))


@pytest.mark.parametrize("dimensions", OVER)
def test_neighbours_in_memory_are_neighbours_in_the_innermost_loop(dimensions):
    (kernel,) = kernels_of(graph_over(dimensions))
    (load,) = (d for d in kernel.defs if isinstance(d, Load))
    axes = kernel.reduce if kernel.kind == "row" else kernel.parallel
    assert load.access.stride(axes[-1].name) == 1


def test_what_writes_much_goes_as_it_is_written():
    text = SEEN.replace("24,20,40", "24,2,40").replace("40,24,20", "40,24,2")
    text = text.replace("MONOID", "add").replace("DIMENSIONS", "(2)").replace("SHAPE", "40,24")
    (kernel,) = kernels_of(parse(text))
    (store,) = kernel.stores
    assert store.access.stride(kernel.parallel[-1].name) == 1


def test_where_two_are_read_in_different_orders_loops_follow_what_is_computed():
    graph = parse("""
graph f(%0: f32[8,8,8], %1: f32[8,8,8]) {
  %2 = transpose(%0) {permutation = (2, 1, 0)} : f32[8,8,8]
  %3 = add(%1, %2) : f32[8,8,8]
  %4 = reduce(%3) {monoid = add, dimensions = (0, 2)} : f32[8]
  return %4
}
""")
    (kernel,) = kernels_of(graph)
    strides = {
        d.buffer: [d.access.stride(a.name) for a in kernel.reduce]
        for d in kernel.defs
        if isinstance(d, Load)
    }
    assert sorted(strides.values()) == [[1, 64], [64, 1]]


@pytest.mark.parametrize("dimensions", OVER)
@pytest.mark.parametrize("monoid", ["add", "maximum"])
def test_numbers_are_the_same(dimensions, monoid):
    graph = graph_over(dimensions, monoid)
    x = np.random.default_rng(0).standard_normal((24, 20, 40), np.float32)
    (found,), (expected,) = run(graph, [x]), evaluate(graph, [x])
    np.testing.assert_allclose(found, expected, rtol=1e-5)
