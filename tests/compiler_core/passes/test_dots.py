"""Matrix products: their operands are read in place."""

import numpy as np
import pytest

from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.parse import parse
from compiler_core.ir.text import to_text
from compiler_core.ir.verify import verify
from compiler_core.passes import dots
from compiler_core.plan.steps import COPY
from tests.compiler_core.codegen.c.graphs import plan_of
from tests.compiler_core.passes.rule_examples import EXAMPLES, graph

MIDDLE = """graph f(%0: f32[16,64,64], %1: f32[8,64]) {
  %2 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (1),
      rhs_contract = (1)} : f32[16,64,8]
  return %2
}"""


def test_no_operand_of_three_dimensions_is_copied_for_a_product():
    before = parse(MIDDLE)
    after, _ = dots.order_matmuls(before)
    assert not any(x.step.ops == (COPY,) for x in plan_of(after).launches)


# Contractions of an image's channels, its rows and its columns, with the result in several orders.
CHANNELS = """graph f(%0: f32[24,64], %1: f32[2,64,12,16]) {
  %2 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (),
      lhs_contract = (1), rhs_contract = (1)} : f32[24,2,12,16]
  %3 = transpose(%2) {permutation = (1, 0, 2, 3)} : f32[2,24,12,16]
  return %3
}"""


RESIZED = """graph f(%0: f32[64,128], %1: f32[4,64,64,16]) {
  %2 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (),
      lhs_contract = (0), rhs_contract = (1)} : f32[128,4,64,16]
  %3 = dot_general(%2, %0) {lhs_batch = (), rhs_batch = (),
      lhs_contract = (2), rhs_contract = (0)} : f32[128,4,16,128]
  %4 = transpose(%3) {permutation = (1, 0, 3, 2)} : f32[4,128,128,16]
  return %4
}"""


TURNED = """graph f(%0: f32[64,128], %1: f32[4,64,64,16]) {
  %2 = transpose(%1) {permutation = (3, 0, 2, 1)} : f32[16,4,64,64]
  %3 = dot_general(%0, %2) {lhs_batch = (), rhs_batch = (),
      lhs_contract = (0), rhs_contract = (3)} : f32[128,16,4,64]
  %4 = tanh(%3) : f32[128,16,4,64]
  return %4
}"""


@pytest.mark.parametrize(
    ("text", "copies"),
    [(CHANNELS, 0), (RESIZED, 0), (TURNED, 1)],
    ids=["channels", "resized", "turned"],
)
def test_what_is_contracted_in_its_middle_is_read_in_place(text, copies):
    before = verify(parse(text))
    after = verify(dots.order_matmuls(before)[0])
    assert to_text(after).count("transpose(") == copies
    rng = np.random.default_rng(0)
    given = [rng.standard_normal(x.type.shape, np.float32) for x in before.inputs]
    (found,), (expected,) = evaluate(after, given), evaluate(before, given)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_a_product_of_a_batch_that_others_read_is_not_computed_twice():
    lines = EXAMPLES["transpose-of-matmuls"]
    both = graph([*lines, "%5 = add(%3, %4) : f32[2,2,2]"])
    assert dots.order_matmuls(both)[0] is both
    assert dots.order_matmuls(graph(lines))[1]


def test_a_product_that_others_read_is_not_computed_twice():
    lines = EXAMPLES["transpose-of-matmul"]
    both = graph([*lines, "%4 = add(%2, %3) : f32[4,4]"])
    assert dots.order_matmuls(both)[0] is both
    assert dots.order_matmuls(graph(lines))[1]
