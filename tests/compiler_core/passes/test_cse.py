"""Common subexpressions are computed once."""

import pytest

from compiler_core.ir.text import to_text
from compiler_core.passes import cse
from tests.compiler_core.passes.rule_examples import C, graph


def test_common_subexpressions_are_computed_once_and_come_from_both():
    before = graph(
        [
            "%1 = tanh(%0) : f32[4,8]",
            "%2 = tanh(%0) : f32[4,8]",
            "%3 = add(%1, %2) : f32[4,8]",
        ]
    )
    after, rewrites = cse.merge_common(before)
    assert to_text(after).count("tanh") == 1 and len(rewrites) == 1


def test_constants_that_only_look_alike_stay_apart():
    lines = [C.format(0.0), "%2 = constant() {value = -0.0} : f32[4,8]"]
    before = graph([*lines, "%3 = divide(%1, %2) : f32[4,8]"])
    assert cse.merge_common(before)[0] is before


@pytest.mark.parametrize(
    ("op", "left"), [("add", 1), ("multiply", 1), ("maximum", 1), ("subtract", 2), ("power", 2)]
)
def test_operands_that_may_change_places_are_the_same_either_way(op: str, left: int):
    before = graph(
        [
            "%1 = tanh(%0) : f32[4,8]",
            f"%2 = {op}(%0, %1) : f32[4,8]",
            f"%3 = {op}(%1, %0) : f32[4,8]",
            "%4 = divide(%2, %3) : f32[4,8]",
        ]
    )
    after, _ = cse.merge_common(before)
    assert to_text(after).count(f"{op}(") == left
