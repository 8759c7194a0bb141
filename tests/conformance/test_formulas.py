"""One formula in both frameworks: the same numbers; where the graphs are the same, it is said."""

from dataclasses import replace

import pytest
from jax import numpy as jnp

from conformance import formulas
from conformance.judge_formulas import SAME, judge

pytestmark = pytest.mark.cpu


def sample(name):
    (only,) = formulas.samples(name, *formulas.VARIANTS)
    return only


@pytest.mark.parametrize("name", ["softmax", "attention", "squared error", "heads"])
def test_a_formula_is_the_same_graph_from_both_frameworks(name):
    verdict = judge(sample(name))
    assert (verdict.kind, verdict.reason) == ("native", SAME)


def test_what_one_framework_alone_has_is_named():
    assert judge(sample("gelu")).reason == "torch alone: add, erf; JAX alone: erfc, negate"


def test_another_formula_in_one_framework_is_wrong():
    one = sample("relu")
    other = replace(one, jax=replace(one.jax, fn=lambda x: jnp.maximum(x, 1e-3)))
    verdict = judge(other)
    assert (
        verdict.kind == "wrong" and "torch's and JAX's differ: output 0 is off by" in verdict.reason
    )
