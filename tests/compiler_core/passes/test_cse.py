"""Common subexpressions are computed once."""

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
