"""Attention whose sizes are symbols, in C: compiled once, called with several sizes."""

import numpy as np
import pytest

from compiler_core.codegen.c import emit as c
from compiler_core.interop.arrays import numpy_to_torch
from compiler_core.runtime import cpu
from tests.compiler_core import symbolic_attentions
from tests.compiler_core.codegen.c.graphs import plan_of

pytestmark = pytest.mark.cpu


@pytest.mark.parametrize("name", symbolic_attentions.CASES)
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
