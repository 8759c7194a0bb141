"""Which values of the IR each launch of a plan computes."""

import pytest

from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir.parse import parse
from compiler_core.pipeline.computed import computed
from compiler_core.plan.build import build_plan, values_of
from tests.compiler_core.plans import ON_CPU, ON_GPU

SOFTMAX = """graph f(%0: f32[64,512]) {
  %1 = reduce(%0) {monoid = maximum, dimensions = (1)} : f32[64]
  %2 = broadcast_in_dim(%1) {dimensions = (0)} : f32[64,512]
  %3 = subtract(%0, %2) : f32[64,512]
  %4 = exponential(%3) : f32[64,512]
  %5 = reduce(%4) {monoid = add, dimensions = (1)} : f32[64]
  %6 = broadcast_in_dim(%5) {dimensions = (0)} : f32[64,512]
  %7 = divide(%4, %6) : f32[64,512]
  return %7
}
"""
PRODUCT = """graph f(%0: f32[256,256], %1: f32[256,256], %2: f32[256]) {
  %3 = tanh(%0) : f32[256,256]
  %4 = transpose(%1) {permutation = (1, 0)} : f32[256,256]
  %5 = dot_general(%3, %4) {lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (0)} : f32[256,256]
  %6 = broadcast_in_dim(%2) {dimensions = (1)} : f32[256,256]
  %7 = add(%5, %6) : f32[256,256]
  %8 = tanh(%7) : f32[256,256]
  %9 = reduce(%8) {monoid = add, dimensions = (0, 1)} : f32[]
  return %8, %9
}
"""  # noqa: E501
TOTAL = """graph f(%0: f32[4096,4096]) {
  %1 = tanh(%0) : f32[4096,4096]
  %2 = reduce(%1) {monoid = add, dimensions = (0, 1)} : f32[]
  return %2
}
"""
LOOP = """graph f(%0: f32[8]) {
  %1 = while(%0) {carried = 1} cond(%2: f32[8]) {
    %3 = reduce(%2) {monoid = add, dimensions = (0)} : f32[]
    %4 = constant() {value = 100.0} : f32[]
    %5 = compare(%3, %4) {direction = LT} : bool[]
    return %5
  } body(%6: f32[8]) {
    %7 = multiply(%6, %6) : f32[8]
    %8 = sine(%7) : f32[8]
    return %8
  } : f32[8]
  return %1
}
"""
# The mask is computed wherever it is needed.
MASK = """graph f(%0: f32[64,64], %1: f32[64,64]) {
  %2 = iota() {dimension = 0} : f32[64,64]
  %3 = add(%0, %2) : f32[64,64]
  %4 = dot_general(%3, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (0)} : f32[64,64]
  %5 = multiply(%4, %2) : f32[64,64]
  %6 = dot_general(%5, %0) {lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (0)} : f32[64,64]
  %7 = multiply(%6, %2) : f32[64,64]
  return %7
}
"""  # noqa: E501
SCATTER = """graph f(%0: f32[64], %1: i64[3], %2: f32[3]) {
  %3 = constant() {value = 0.0} : f32[64]
  %4 = scatter(%3, %1, %2) {update_window_dims = (), inserted_window_dims = (0), input_batching_dims = (), scatter_indices_batching_dims = (), scatter_dims_to_operand_dims = (0), index_vector_dim = 1, combine = set, out_of_bounds = mask, unique = False} : f32[64]
  %5 = add(%4, %0) : f32[64]
  return %5
}
"""  # noqa: E501
TEXTS = {
    "rows": SOFTMAX,
    "a product": PRODUCT,
    "a total": TOTAL,
    "a loop": LOOP,
    "a mask": MASK,
    "a scatter": SCATTER,
}


def found(text, gpu=False):
    graph = parse(text)
    fused = fuse(values_of(graph), cost.GPU if gpu else cost.CPU)
    return graph, computed(build_plan(fused, ON_GPU if gpu else ON_CPU), fused)


@pytest.mark.parametrize("gpu", [False, True], ids=["cpu", "gpu"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_value_that_is_no_input_is_of_a_launch(text, gpu):
    graph, launches = found(text, gpu)
    of_launches = {value for values in launches.values() for value in values}
    inputs = {v.id for v in graph.inputs}
    inputs |= {v.id for o in graph.walk() for region in o.regions for v in region.inputs}
    assert of_launches == {v.id for o in graph.walk() for v in o.results} - inputs


def test_a_launch_ends_at_what_it_reads():
    _, launches = found(PRODUCT)
    assert [values for values in launches.values() if 5 in values] == [(3, 4, 5)]
    assert [values for values in launches.values() if 8 in values] == [(6, 7, 8, 9)]


def test_what_two_launches_compute_is_of_both():
    _, launches = found(MASK)
    assert sum(2 in values for values in launches.values()) == 2


def test_a_view_is_of_the_launch_that_reads_through_it():
    _, launches = found(SOFTMAX)
    (values,) = launches.values()
    assert {2, 6} <= set(values)


def test_of_a_split_reduction_the_last_launch_has_the_values():
    _, launches = found(TOTAL, gpu=True)
    assert len(launches) > 1
    assert [values for values in launches.values() if values] == [(1, 2)]
