"""Assignments to a tensor's `data`: `p.data -= x` writes into it, `p.data = y` gives it other
memory."""

from pathlib import Path

import pytest
import torch
from torch import nn

from compiler_core.errors import CaptureError
from compiler_core.snippet.source import also_own
from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu

X = torch.linspace(-1, 1, 12).reshape(4, 3)


def step_with(update):
    """A step of a layer's training by hand, which updates each parameter so."""
    torch.manual_seed(0)
    net = nn.Linear(3, 2)

    def step(x):
        for p in net.parameters():
            p.grad = None
        loss = net(x).square().mean()
        loss.backward()
        for p in net.parameters():
            update(p)
        return loss

    return step


def by_operator(p):
    p.data -= 0.1 * p.grad


def by_method(p):
    p.data = p.data.mul_(0.9).sub_(p.grad, alpha=0.1)


def several(p):
    p.data *= 0.9
    p.data -= 0.1 * p.grad
    p.data /= 1.5


@pytest.mark.parametrize("update", [by_operator, by_method, several])
def test_a_parameter_whose_data_are_written_in_place_is_learned(update):
    result = agrees(captured("torch", step_with(update), X))
    assert [g.role for g in result.graphs][:2] == ["forward", "backward"]
    assert len(result.graphs) == 3
    assert library_calls(result) == []


def test_without_a_backward_pass_it_is_one_graph():
    net = nn.Linear(3, 2)

    def averaged(x):
        for p in net.parameters():
            p.data *= 0.9
            p.data += 0.1 * x.sum()
        return net(x)

    assert [g.role for g in agrees(captured("torch", averaged, X)).graphs] == ["whole"]


def replaced(p):
    p.data = p.data - 0.1 * p.grad


def test_a_parameter_whose_data_are_new_is_learned():
    result = agrees(captured("torch", step_with(replaced), X))
    assert len(result.graphs) == 3 and library_calls(result) == []


def test_an_average_of_parameters_before_and_after_which_they_are_used():
    torch.manual_seed(0)
    net, average = nn.Linear(3, 2), nn.Linear(3, 2)

    def f(x):
        before = average(x)
        with torch.no_grad():
            for p, q in zip(net.parameters(), average.parameters(), strict=True):
                q.data = q.data * 0.9 + p.data * 0.1
        return before, average(x)

    result = agrees(captured("torch", f, X))
    assert len(result.graphs) == 1


def seen_before(p):
    old = p.data
    p.data = p.data * 0.5
    p.grad.copy_(old)


def of_another(p):
    p.data = p.grad


def also_elsewhere(p):
    new = p.data * 0.5
    p.data = new
    p.grad.copy_(new)


@pytest.mark.parametrize("update", [seen_before, of_another, also_elsewhere])
def test_data_that_somebody_else_looks_at_are_refused_at_their_line(update):
    with also_own(__file__), pytest.raises(CaptureError, match="other memory") as raised:
        captured("torch", step_with(update), X)
    lines = Path(__file__).read_text().splitlines()
    assert "p.data = " in lines[raised.value.line - 1]
    assert "p.data.copy_(y)" in (raised.value.remedy or "")
