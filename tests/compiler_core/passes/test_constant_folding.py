"""Numbers are folded as their type has them."""

import numpy as np
import pytest

from compiler_core.ir.eval_numpy import evaluate
from compiler_core.passes import constant_folding
from compiler_core.rewrite.engine import rewrite
from tests.compiler_core.passes.rule_examples import C, graph


def test_numbers_are_compared_as_their_type_has_them():
    lines = [C.format(0.1), "%2 = constant() {value = 0.1000000001} : f32[4,8]"]
    before = graph([*lines, "%3 = compare(%1, %2) {direction = EQ} : bool[4,8]"])
    after, _ = rewrite(before, constant_folding.RULES)
    assert [x["value"] for x in after.outputs] == [True]


@pytest.mark.parametrize(
    "lines",
    [
        ["%1 = constant() {value = 0.1} : f32[2]", "%2 = convert(%1) : f64[2]"],
        ["%1 = constant() {value = 0.1} : bf16[2]", "%2 = convert(%1) : f32[2]"],
        ["%1 = constant() {value = 16777217.0} : f32[2]", "%2 = convert(%1) : i32[2]"],
        ["%1 = constant() {value = 1e300} : f32[2]", "%2 = divide(%1, %1) : f32[2]"],
        ["%1 = constant() {value = 0.1} : f32[2]", "%2 = constant() {value = 0.7} : f32[2]",
         "%3 = multiply(%1, %2) : f32[2]", "%4 = convert(%3) : f64[2]"],
    ],
)  # fmt: skip
def test_numbers_are_folded_as_their_type_has_them(lines):
    before = graph(lines)
    after, _ = rewrite(before, constant_folding.RULES)
    assert [x.op for x in after.outputs] == ["constant"]
    x = np.zeros((4, 8), np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(evaluate(after, [x]), evaluate(before, [x]))


def test_a_folded_number_is_the_shortest_one_of_its_type():
    lines = [C.format(0.1), "%2 = constant() {value = 3.0} : f32[4,8]"]
    after, _ = rewrite(graph([*lines, "%3 = multiply(%1, %2) : f32[4,8]"]), constant_folding.RULES)
    assert [x["value"] for x in after.outputs] == [0.3]


@pytest.mark.parametrize(("dtype", "exact"), [("bf16", 0.69921875), ("f16", 0.7001953125)])
def test_a_number_that_is_folded_to_sixteen_bits_is_the_one_that_they_have(dtype, exact):
    """Kernels compute with it in f32."""
    before = graph([C.format(0.7), f"%2 = convert(%1) : {dtype}[4,8]"])
    after, _ = rewrite(before, constant_folding.RULES)
    assert [x["value"] for x in after.outputs] == [exact]
