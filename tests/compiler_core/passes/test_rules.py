"""Every rule: an example that it rewrites, which computes the same before and after."""

import numpy as np
import pytest

from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.verify import verify
from compiler_core.rewrite.engine import rewrite
from tests.compiler_core.passes.rule_examples import EXAMPLES, RULES, graph, with_constant


def test_every_rule_has_an_example():
    assert set(EXAMPLES) == set(RULES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule_fires_and_keeps_the_meaning(name):
    before = graph(EXAMPLES[name])
    after, rewrites = rewrite(before, [RULES[name]])
    assert [r.rule for r in rewrites] == [name]
    verify(after, name)
    x = np.linspace(0.1, 3, 32, dtype=np.float32).reshape(4, 8)
    signed = name not in ("power-half", "power-minus-half", "reciprocal-root")
    x = x * (-1) ** np.arange(8, dtype=np.float32) if signed else x
    for a, b in zip(evaluate(after, [x]), evaluate(before, [x]), strict=True):
        np.testing.assert_allclose(a, b, rtol=3e-7)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule_keeps_nan_infinities_and_the_signs_of_zeros(name):
    before = graph(EXAMPLES[name])
    after, _ = rewrite(before, [RULES[name]])
    x = np.resize(np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1], np.float32), (4, 8))
    for a, b in zip(evaluate(after, [x]), evaluate(before, [x]), strict=True):
        np.testing.assert_array_equal(a, b)
        number = ~np.isnan(a)
        np.testing.assert_array_equal(np.signbit(a[number]), np.signbit(b[number]))


def test_rules_that_do_not_match_leave_the_graph_itself():
    before = graph(["%1 = tanh(%0) : f32[4,8]"])
    assert rewrite(before, tuple(RULES.values()))[0] is before


def test_a_rewritten_node_keeps_its_origins():
    before = graph(with_constant(2.0, "power"))
    node = before.outputs[0]
    object.__setattr__(node.operation, "origins", (7,))
    after, _ = rewrite(before, [RULES["power-two"]])
    assert after.outputs[0].origins == (7,)
