"""Inputs and state that are rounded otherwise."""

import pytest
import torch

from compiler_core import capture
from compiler_core.measure import rounding
from compiler_core.measure.runnable import Runnable, eager
from compiler_core.snippet.program import FoundProgram

pytestmark = pytest.mark.cpu

X = torch.linspace(-3, 3, 3000)


def moved(inputs, seed=0):
    return rounding.otherwise(Runnable(list, list, list), None, seed).run(inputs)


def test_inputs_are_rounded_otherwise_by_a_unit_at_most():
    (x,) = moved([X])
    assert not torch.equal(x, X) and torch.equal(x, *moved([X]))
    torch.testing.assert_close(x, X, rtol=2.5e-7, atol=0)
    assert torch.equal(moved([torch.arange(4)])[0], torch.arange(4))


def test_parameters_are_rounded_otherwise_and_restored():
    layer = torch.nn.Linear(3, 4)
    before = layer.weight.detach().clone()

    def step(x):
        layer(x).sum().backward()
        return layer.weight * 1

    captured = capture.capture(FoundProgram("step", "torch", 1, step, (torch.ones(2, 3),)))
    assert captured.session is not None
    other = rounding.otherwise(eager(captured, "torch"), captured.session, 0)
    result, *_ = other.run(captured.arguments)
    assert not torch.equal(result, before)
    torch.testing.assert_close(result, before, rtol=2.5e-7, atol=0)
    captured.session.restore()
    assert torch.equal(layer.weight, before)
