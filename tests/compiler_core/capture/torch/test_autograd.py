"""Gradients are programs like any other."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from tests.compiler_core.capture.oracle import agrees, captured, library_calls
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

X = torch.linspace(-2, 2, 24).reshape(4, 6)


def gradient(f):
    def program(x):
        x = x.detach().requires_grad_(True)
        return torch.autograd.grad(f(x), x)

    return program


LOSSES = {
    "tanh": lambda x: (torch.tanh(x) ** 2).sum(),
    "gelu": lambda x: F.gelu(x).sum(),
    "silu": lambda x: F.silu(x).mean(),
    "softmax": lambda x: (torch.softmax(x, -1) * x).sum(),
    "layer_norm": lambda x: (F.layer_norm(x, (6,)) ** 3).sum(),
    "relu": lambda x: (torch.relu(x) * x).sum(),
    "sgn": lambda x: (torch.sgn(x) * x).sum(),
    "matmul": lambda x: (x @ x.t()).sin().sum(),
}


# Torch takes the others apart as it does forwards.
KEPT = ("layer_norm", "sgn", "matmul")


@pytest.mark.parametrize("name", thinned(LOSSES, KEPT))
def test_gradient(name):
    assert library_calls(agrees(captured("torch", gradient(LOSSES[name]), X))) == []


def test_backward_of_an_argument():
    def program(x, w):
        (x @ w).square().mean().backward()
        return w.grad

    weight = torch.ones(6, 3, requires_grad=True)
    agrees(captured("torch", program, X, weight))
    assert weight.grad is None


def test_backward_leaves_no_gradient_in_parameters():
    layer = nn.Linear(6, 2)

    def program(x):
        loss = layer(x).square().sum()
        loss.backward()
        return layer.weight.grad

    agrees(captured("torch", program, X))
    assert layer.weight.grad is None


def test_functional_gradient():
    agrees(captured("torch", torch.func.grad(LOSSES["tanh"]), X))


def test_without_gradients_none_are_recorded():
    layer = nn.Linear(6, 2)
    result = captured("torch", layer, X)
    assert [n.op for n in result.nodes] == ["aten.t", "aten.addmm"]
