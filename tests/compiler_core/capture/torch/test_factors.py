"""Factors that torch makes of a matrix or of its transpose, by how it lies in memory, and what
solves with them in a backward pass."""

import itertools

import pytest
import torch

from tests.compiler_core.capture.oracle import agrees, captured
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

X = torch.tensor([[2.0, 1.0, 0.5], [0.0, 3.0, 1.0], [1.0, -1.0, 4.0]])
OF = {
    "det": torch.linalg.det,
    "slogdet": lambda a: torch.linalg.slogdet(a)[1],
    "solve for a vector": lambda a: torch.linalg.solve(a, torch.ones(2 * len(a))[::2]).sum(),
    "solve": lambda a: torch.linalg.solve(a, torch.ones(len(a), 2)).square().sum(),
}


LAID = {"as it is": lambda x: x * 1, "transposed": lambda x: x.mT, "cut": lambda x: x[:2, :2]}


# Each way to lie for one that has factors kept, and for one that solves.
MET = (
    ("as it is", "slogdet"), ("transposed", "det"), ("cut", "slogdet"), ("transposed", "solve"),
    ("cut", "solve for a vector"),
)  # fmt: skip


@pytest.mark.parametrize(("laid", "name"), thinned(itertools.product(LAID, OF), MET))
def test_the_gradient_is_right_however_the_matrix_lies(laid, name):
    def step(x):
        x = x.detach().requires_grad_()
        OF[name](LAID[laid](x)).backward()
        return x.grad

    agrees(captured("torch", step, X))
