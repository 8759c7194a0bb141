"""What kernels compute again rather than read: which values, and that results stay the same."""

import numpy as np
import pytest

from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir.parse import parse
from compiler_core.plan.build import build_plan, values_of
from compiler_core.steering import Steering, steered
from tests.compiler_core.plans import ON_CPU, run_plan

# Two sums that no loop can share, of one value.
TWO_SUMS = """
graph two(%0: f32[256,4096]) {{
  %1 = {op}(%0) : f32[256,4096]
  %2 = reduce(%1) {{monoid = add, dimensions = (0, 1)}} : f32[]
  %3 = reduce(%1) {{monoid = add, dimensions = (1)}} : f32[256]
  return %2, %3{more}
}}
"""

BY_ROWS_AND_COLUMNS = """
graph both(%0: f32[512,1024]) {
  %1 = negate(%0) : f32[512,1024]
  %2 = reduce(%1) {monoid = add, dimensions = (0)} : f32[1024]
  %3 = reduce(%1) {monoid = maximum, dimensions = (1)} : f32[512]
  %4 = reduce(%1) {monoid = minimum, dimensions = (0, 1)} : f32[]
  return %2, %3, %4
}
"""

# `%3` becomes the memory that the scatter adds to.
ADDED_TO = """
graph added(%0: f32[4096,64], %1: i32[256,1], %2: f32[256,64]) {
  %3 = negate(%0) : f32[4096,64]
  %4 = scatter(%3, %1, %2) {update_window_dims = (1), inserted_window_dims = (0),
      input_batching_dims = (), scatter_indices_batching_dims = (),
      scatter_dims_to_operand_dims = (0), index_vector_dim = 1, combine = add,
      out_of_bounds = mask, unique = False} : f32[4096,64]
  return %4
}
"""


def fused(text, model=cost.CPU):
    return fuse(values_of(parse(text)), model)


def written(found):
    return {value.op for group in found.groups for value in group.outputs}


@pytest.mark.parametrize("model", [cost.CPU, cost.GPU])
def test_what_is_cheap_is_computed_by_each_reader(model):
    found = fused(TWO_SUMS.format(op="negate", more=""), model)
    assert [value.op for value in found.recomputed] == ["negate"]
    assert len(found.groups) == 2
    assert written(found) == {"reduce"}
    assert not found.refusals


def test_what_is_dear_is_kept():
    found = fused(TWO_SUMS.format(op="tanh", more=""))
    assert not found.recomputed
    assert written(found) == {"reduce", "tanh"}


def test_a_product_is_one_number_for_all_its_readers():
    """What subtracts it from its own maximum has 0 at the maximum: a product that is computed again
    is contracted with the difference, and has the digits that the maximum was rounded by."""
    found = fused(TWO_SUMS.replace("{op}(%0)", "multiply(%0, %0)").format(more=""))
    assert not found.recomputed
    assert written(found) == {"reduce", "multiply"}


def test_what_is_returned_is_written_anyway():
    found = fused(TWO_SUMS.format(op="negate", more=", %1"))
    assert not found.recomputed


def test_a_kernel_that_nobody_reads_any_more_is_gone():
    found = fused(BY_ROWS_AND_COLUMNS)
    assert [value.op for value in found.recomputed] == ["negate"]
    assert all(value.op == "reduce" for group in found.groups for value in group.outputs)


def test_what_is_forbidden_to_share_a_kernel_does_not():
    class Apart(Steering):
        def forbids(self, members):
            ops = {value.op for value in members}
            return "apart" if {"negate", "reduce"} <= ops else ""

    with steered(Apart()):
        found = fused(TWO_SUMS.format(op="negate", more=""))
    assert not found.recomputed


@pytest.mark.parametrize("text", [TWO_SUMS.format(op="negate", more=""), BY_ROWS_AND_COLUMNS])
def test_results_stay_the_same(text):
    graph = parse(text)
    (x,) = (np.random.default_rng(0).normal(size=v.type.shape) for v in graph.inputs)
    found = run_plan(build_plan(fuse(values_of(graph)), ON_CPU), [x])
    over = {"add": np.sum, "maximum": np.max, "minimum": np.min}
    for value, result in zip(graph.outputs, found, strict=True):
        np.testing.assert_allclose(
            result, over[value["monoid"]](-x, value["dimensions"]), rtol=1e-5, atol=1e-4
        )


def test_what_a_scatter_adds_to_is_written_before():
    assert not fused(ADDED_TO).recomputed
