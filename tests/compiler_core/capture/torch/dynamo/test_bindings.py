"""A module that gives its names other tensors, as running statistics by assignment."""

import pytest
import torch
from torch import nn

from tests.compiler_core.capture.oracle import agrees, captured

pytestmark = pytest.mark.cpu

X = torch.linspace(-1, 1, 12).reshape(3, 4)


class Running(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.last = None

    def forward(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        self.last = x * 2
        return x - self.mean


def test_what_a_module_is_given_is_among_what_is_compared():
    """The result, the argument, the buffer from before; the mean and the other name."""
    found = agrees(captured("torch", Running(), X))
    assert len(found.eager(found.arguments)) == 5


def test_each_run_begins_with_the_module_as_it_was():
    model = Running()
    found = captured("torch", model, X)
    before = model.mean
    first, again = (found.eager(found.arguments)[0] for _ in range(2))
    assert torch.equal(first, again) and torch.equal(first, X - 0.1 * X.mean(0))
    found.exact(found.arguments)
    assert model.mean is before and before.dtype is torch.float32 and model.last is None


class Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(8, 4)

    def forward(self, x):
        y = x @ self.embedding.weight.t()
        self.embedding.weight = nn.Parameter(self.embedding.weight * 0.99)
        return y


def test_a_parameter_of_a_part_may_be_replaced():
    model = Replaced()
    weight = model.embedding.weight
    agrees(captured("torch", model, X))
    assert model.embedding.weight is weight
