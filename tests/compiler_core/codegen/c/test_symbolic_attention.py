"""Attention whose sizes are symbols, in C: compiled once, called with several sizes."""

import numpy as np
import pytest

from compiler_core.codegen.c import emit as c
from compiler_core.interop.arrays import numpy_to_torch
from compiler_core.runtime import cpu
from tests.compiler_core import symbolic_attentions
from tests.compiler_core.codegen.c.graphs import plan_of
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu


# What differs in the function; most of the others are called as Triton or are plans' matter.
FUNCTIONS = (
    "batch alone", "more keys than rows", "added mask", "by hand", "grouped", "jax, causal",
)  # fmt: skip


@pytest.mark.parametrize("name", thinned(symbolic_attentions.CASES, kept=FUNCTIONS))
def test_one_function_serves_every_size(name):
    plan = plan_of(symbolic_attentions.case(name))
    assert "attention" in [x.schedule.strategy for x in plan.launches]
    compiled = cpu.build(plan)
    for inputs, expected in symbolic_attentions.calls(name):
        (found,) = compiled([numpy_to_torch(x) for x in inputs])
        np.testing.assert_allclose(found.numpy(), expected, rtol=2e-5, atol=3e-6)


def test_text(golden):
    text = c.emit(plan_of(symbolic_attentions.case("heads last"))).source.text
    golden(text[text.index("// attention:") :])
