"""Indices that sums and products of counts compute are indices of the axes."""

import numpy as np
import pytest

from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.parse import parse
from compiler_core.kernel.kernel import Load
from tests.compiler_core.codegen.c.graphs import kernels_of, run

FRAMES = """
graph frames(%0: f32[SIZE]) {
  %1 = iota() {dimension = 0} : TYPE[13,16]
  %2 = constant() {value = STEP} : TYPE[13,16]
  %3 = multiply(%1, %2) : TYPE[13,16]
  %4 = iota() {dimension = 1} : TYPE[13,16]
  %5 = SUM : TYPE[13,16]
  %6 = gather(%0, %5) {offset_dims = (), collapsed_slice_dims = (0), operand_batching_dims = (),
      start_indices_batching_dims = (), start_index_map = (0), index_vector_dim = 2,
      slice_sizes = (1), out_of_bounds = wrap, fill = 0} : f32[13,16]
  %7 = tanh(%6) : f32[13,16]
  return %7
}
"""
# By size, type, step and sum: the strides, None where the index stays a value.
CASES = {
    (64, "i64", 4, "add(%3, %4)"): [("i0", 4), ("i1", 1)],
    (64, "i32", 4, "add(%4, %3)"): [("i0", 4), ("i1", 1)],
    (64, "i64", 0, "add(%3, %4)"): [("i1", 1)],
    (256, "i8", 20, "add(%3, %4)"): None,  # wraps round
    (512, "u8", 21, "add(%3, %4)"): None,
    (64, "i64", 1, "multiply(%3, %4)"): None,
    (20, "i64", 4, "add(%3, %4)"): None,  # is clamped
}


def graph_of(case):
    size, kind, step, total = case
    texts = {"SIZE": size, "TYPE": kind, "STEP": step, "SUM": total}
    text = FRAMES
    for word, given in texts.items():
        text = text.replace(word, str(given))
    return parse(text)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_index_is_one_of_the_axes_where_it_is_a_sum_of_them(case):
    (kernel,) = kernels_of(graph_of(case))
    (load,) = (d for d in kernel.defs if isinstance(d, Load))
    straight = None if load.access.indirect else list(load.access.terms)
    assert straight == CASES[case]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_numbers_are_the_same(case):
    graph = graph_of(case)
    x = np.random.default_rng(0).standard_normal(case[0], np.float32)
    np.testing.assert_allclose(run(graph, [x])[0], evaluate(graph, [x])[0], rtol=1e-6)
