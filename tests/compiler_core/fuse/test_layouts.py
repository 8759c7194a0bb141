"""What one kernel leaves in memory lies as the next one reads it."""

import numpy as np
import pytest

from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.parse import parse
from compiler_core.kernel.kernel import Load
from compiler_core.plan.build import values_of
from tests.compiler_core.codegen.c.graphs import run

# Rows of a table, which a softmax reads as columns of each head.
GATHERED_BIAS = """
graph f(%0: f32[16,8,32,32], %1: f32[225,8], %2: i64[1024]) {
  %3 = gather(%1, %2) {offset_dims = (1), collapsed_slice_dims = (0), operand_batching_dims = (),
      start_indices_batching_dims = (), start_index_map = (0), index_vector_dim = 1,
      slice_sizes = (1, 8), out_of_bounds = wrap, fill = 0} : f32[1024,8]
  %4 = reshape(%3) : f32[32,32,8]
  %5 = transpose(%4) {permutation = (2, 0, 1)} : f32[8,32,32]
  %6 = broadcast_in_dim(%5) {dimensions = (1, 2, 3)} : f32[16,8,32,32]
  %7 = add(%0, %6) : f32[16,8,32,32]
  %8 = reduce(%7) {monoid = maximum, dimensions = (3)} : f32[16,8,32]
  %9 = broadcast_in_dim(%8) {dimensions = (0, 1, 2)} : f32[16,8,32,32]
  %10 = subtract(%7, %9) : f32[16,8,32,32]
  return %10RETURNED
}
"""
# Sums of rows, which are subtracted from columns.
ROW_SUMS = """
graph f(%0: f32[64,48,8], %1: f32[4096,48,64]) {
  %2 = reduce(%0) {monoid = add, dimensions = (2)} : f32[64,48]
  %3 = transpose(%2) {permutation = (1, 0)} : f32[48,64]
  %4 = broadcast_in_dim(%3) {dimensions = (1, 2)} : f32[4096,48,64]
  %5 = subtract(%1, %4) : f32[4096,48,64]
  return %5
}
"""
CASES = {"a gather": GATHERED_BIAS.replace("RETURNED", ""), "sums": ROW_SUMS}


def strides(graph):
    """Of the innermost loops of the last kernel, through what it reads of the one before."""
    first, last = fuse(values_of(graph), cost.CPU).groups
    (between,) = {b.name for b in first.kernel.outputs} & {b.name for b in last.kernel.inputs}
    axis = (last.kernel.reduce or last.kernel.parallel)[-1].name
    loads = (d for d in last.kernel.defs if isinstance(d, Load) and d.buffer == between)
    return {d.access.stride(axis) for d in loads}


@pytest.mark.parametrize("name", CASES)
def test_what_is_read_transposed_is_written_so(name):
    assert strides(parse(CASES[name])) == {1}


def test_what_is_returned_as_well_stays_as_it_is():
    assert strides(parse(GATHERED_BIAS.replace("RETURNED", ", %3"))) == {8}


def test_numbers_are_the_same():
    rng = np.random.default_rng(0)
    graph = parse(GATHERED_BIAS.replace("RETURNED", ""))
    given = [
        rng.standard_normal((16, 8, 32, 32), np.float32),
        rng.standard_normal((225, 8), np.float32),
        rng.integers(-225, 225, 1024),
    ]
    np.testing.assert_allclose(run(graph, given)[0], evaluate(graph, given)[0], rtol=1e-6)
