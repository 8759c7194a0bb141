"""What is computed behind a view that copies is computed by the kernel that copies."""

import numpy as np
import pytest

from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.verify import verify
from compiler_core.passes import views
from compiler_core.rewrite.engine import rewrite
from tests.compiler_core.codegen.c.graphs import plan_of
from tests.compiler_core.passes.rule_examples import RULES, graph

MIXED = [
    "%1 = reshape(%0) : f32[2,2,2,4]",
    "%2 = transpose(%1) {permutation = (0, 2, 1, 3)} : f32[2,2,2,4]",
    "%3 = reshape(%2) : f32[4,8]",
]


# Two dimensions become one; a number for each of the four columns, or of the merged rows.
SHUFFLED = [
    "%1 = reshape(%0) : f32[2,2,2,4]",
    "%2 = transpose(%1) {permutation = (0, 2, 1, 3)} : f32[2,2,2,4]",
    "%3 = reshape(%2) : f32[2,4,4]",
    "%4 = slice(%0) {start = (0, 0), limit = (1, 4), strides = (1, 1)} : f32[1,4]",
    "%5 = reshape(%4) : f32[4]",
]


@pytest.mark.parametrize(("along", "launches"), [(2, 1), (1, 2)])
def test_a_bias_of_what_is_not_merged_is_added_by_the_kernel_that_copies(along, launches):
    spread = f"%6 = broadcast_in_dim(%5) {{dimensions = ({along})}} : f32[2,4,4]"
    before = graph([*SHUFFLED, spread, "%7 = add(%3, %6) : f32[2,4,4]",
                    "%8 = tanh(%7) : f32[2,4,4]"])  # fmt: skip
    after = verify(rewrite(before, views.RULES)[0])
    assert len(plan_of(after).launches) == launches
    x = np.linspace(-2, 3, 32, dtype=np.float32).reshape(4, 8)
    (found,), (expected,) = evaluate(after, [x]), evaluate(before, [x])
    np.testing.assert_array_equal(found, expected)


def test_patches_of_an_image_are_scaled_by_the_kernel_that_copies_them():
    lines = [*MIXED, "%4 = tanh(%3) : f32[4,8]", "%5 = negate(%4) : f32[4,8]"]
    before = graph([*lines, "%6 = add(%4, %5) : f32[4,8]"])
    after, _ = rewrite(before, views.RULES)
    assert after.outputs[0].op == "reshape"
    assert [len(plan_of(x).launches) for x in (before, after)] == [2, 1]


@pytest.mark.parametrize(
    "lines",
    [
        [*MIXED, "%4 = add(%3, %0) : f32[4,8]"],
        [MIXED[0], "%2 = transpose(%1) {permutation = (1, 0, 2, 3)} : f32[2,2,2,4]",
         "%3 = reshape(%2) : f32[2,2,8]", "%4 = tanh(%3) : f32[2,2,8]"],
        ["%1 = reshape(%0) : f32[32]", "%2 = tanh(%1) : f32[32]"],
    ],
    ids=["beside what is no such view", "where a loop reads in place", "merged alone"],
)  # fmt: skip
def test_what_is_behind_a_view_stays_there(lines):
    assert rewrite(graph(lines), [RULES["elementwise-behind-merged"]])[1] == []
