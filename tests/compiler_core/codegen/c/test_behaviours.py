"""What programs of every kind become in C, and that it computes what the framework does."""

import pytest

from compiler_core.codegen.c import emit as c
from compiler_core.runtime import cpu
from tests.compiler_core.codegen.behaviours import BEHAVIOURS, agree
from tests.compiler_core.codegen.c.graphs import from_torch, to_torch


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_text(name, golden):
    behaviour = BEHAVIOURS[name]
    text = c.emit(behaviour.plan(behaviour.printed, "cpu")).source.text
    golden(text[text.index(behaviour.begins) :])


@pytest.mark.cpu
@pytest.mark.parametrize("name", BEHAVIOURS)
def test_it_computes_what_eager_does(name):
    behaviour = BEHAVIOURS[name]
    inputs = behaviour.inputs(behaviour.computed)
    run = cpu.build(behaviour.plan(behaviour.computed, "cpu"))
    agree([from_torch(x) for x in run([to_torch(x) for x in inputs])], behaviour.eager(inputs))
