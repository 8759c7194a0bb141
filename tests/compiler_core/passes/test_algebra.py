"""What algebra leaves alone, because numbers of the type would differ."""

import pytest

from compiler_core.passes import algebra
from compiler_core.rewrite.engine import rewrite
from tests.compiler_core.passes.rule_examples import C, graph


@pytest.mark.parametrize("operands", ["%0, %1", "%1, %0"])
@pytest.mark.parametrize("op", ["add", "subtract"])
def test_an_addition_that_changes_the_sign_of_a_zero_stays(op, operands):
    zero = -0.0 if (op, operands) == ("subtract", "%0, %1") else 0.0
    before = graph([C.format(zero), f"%2 = {op}({operands}) : f32[4,8]"])
    assert rewrite(before, algebra.RULES)[0] is before


def test_a_division_whose_reciprocal_the_type_has_not_stays():
    lines = ["%1 = convert(%0) : f16[4,8]", f"%2 = constant() {{value = {2.0**-20}}} : f16[4,8]"]
    before = graph([*lines, "%3 = divide(%1, %2) : f16[4,8]"])
    assert rewrite(before, algebra.RULES)[0] is before
