"""Tensors that a module only assigns to its attributes, as caches often are: neither parameters nor
buffers, and written to."""

import pytest
import torch
from torch import nn

from tests.compiler_core.capture.oracle import agrees, captured

pytestmark = pytest.mark.cpu
X = torch.linspace(0.1, 2, 12).reshape(4, 3)


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(4, 3)
        self._caches = [torch.zeros(3), torch.ones(3)]

    def forward(self, x):
        self.mean.mul_(0.9).add_(x)
        self._caches[1].add_(x.mean(0))
        return self.mean * 2 + self._caches[1]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()

    def forward(self, x):
        return self.cell(x) + 1


class Deciding(Net):
    def forward(self, x):
        y = self.cell(x)
        return y + 1 if y.sum() > 0 else y - 1


def test_what_is_written_to_has_the_name_that_the_module_has_for_it():
    assert agrees(captured("torch", Net(), X)).written == ("cell.mean", "cell._caches[1]")


def test_every_run_of_pieces_begins_with_what_the_module_had():
    net = Deciding()
    result = agrees(captured("torch", net, X))
    assert result.session is not None
    first, second = (result.eager(result.arguments) for _ in range(2))
    assert torch.equal(first[0], second[0])
    assert not net.cell.mean.any()
