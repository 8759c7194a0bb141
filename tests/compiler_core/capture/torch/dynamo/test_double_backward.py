"""The gradient of a gradient, with what comes before and after it, is one graph."""

import itertools
import random

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from compiler_core.capture.captured import Captured
from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu

X = torch.linspace(-1, 1, 12).reshape(6, 2)


def network(*sizes: int) -> nn.Sequential:
    """Linear layers with a tanh after each but the last."""
    torch.manual_seed(0)
    layers = [[nn.Linear(a, b), nn.Tanh()] for a, b in itertools.pairwise(sizes)]
    return nn.Sequential(*[layer for each in layers for layer in each][:-1])


def one_graph(result: Captured) -> Captured:
    """It agrees with eager, nothing is left to torch, and float64 is near."""
    assert [g.role for g in result.graphs] == ["piece"]
    assert not result.graph_breaks and not library_calls(result)
    exact = result.exact(result.arguments)
    for x, y in zip(exact, result.eager(result.arguments), strict=True):
        torch.testing.assert_close(x.to(y.dtype), y, atol=1e-4, rtol=1e-4)
    return agrees(result)


def residual(net: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """u_t + u u_x - u_xx of u = net(x, t)."""
    u = net(x)
    (du,) = torch.autograd.grad(u.sum(), x, create_graph=True)
    (d2u,) = torch.autograd.grad(du[:, 0].sum(), x, create_graph=True)
    return du[:, 1] + u[:, 0] * du[:, 0] - d2u[:, 0]


def test_a_loss_of_derivatives_and_its_gradients():
    net = network(2, 8, 8, 1)

    def loss_and_gradients(x):
        loss = residual(net, x).square().mean()
        return loss, torch.autograd.grad(loss, list(net.parameters()), allow_unused=True)[:-1]

    one_graph(captured("torch", loss_and_gradients, X.clone().requires_grad_()))


@pytest.mark.parametrize("backwards", [1, 2])
def test_gradients_are_left_in_parameters_and_added_to_those_that_there_are(backwards):
    net = network(2, 8, 1)
    net[0].weight.grad = torch.ones(8, 2)

    def f(x):
        for _ in range(backwards):
            loss = residual(net, x).square().mean()
            loss.backward()
        return loss

    result = one_graph(captured("torch", f, X.clone().requires_grad_()))
    assert torch.equal(net[0].weight.grad, torch.ones(8, 2)) and net[0].bias.grad is None
    assert "0.weight.grad" in result.graphs[0].text


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    "adam": lambda p: torch.optim.Adam(p, lr=0.01),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_with_a_gradient_penalty_and_its_optimizer(name):
    critic = network(2, 8, 1)
    optimizer = OPTIMIZERS[name](critic.parameters())

    def step(real, fake):
        optimizer.zero_grad()
        mixed = (0.25 * real + 0.75 * fake).requires_grad_(True)
        score = critic(mixed)
        (g,) = torch.autograd.grad(score, mixed, torch.ones_like(score), create_graph=True)
        loss = critic(fake).mean() - critic(real).mean() + 10 * ((g.norm(2, 1) - 1) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    one_graph(captured("torch", step, X, X.flip(0)))
    assert all("capturable" not in g or not g["capturable"] for g in optimizer.param_groups)


def test_learning_to_learn():
    net = network(2, 8, 1)

    def outer(x, y):
        weights = dict(net.named_parameters())
        for _ in range(2):
            inner = F.mse_loss(torch.func.functional_call(net, weights, x), y)
            grads = torch.autograd.grad(inner, list(weights.values()), create_graph=True)
            pairs = zip(weights.items(), grads, strict=True)
            weights = {name: w - 0.1 * g for (name, w), g in pairs}
        loss = F.mse_loss(torch.func.functional_call(net, weights, x), y)
        loss.backward()
        return loss

    one_graph(captured("torch", outer, X, X.sum(1, keepdim=True)))


def three_calls_agree(result: Captured) -> None:
    """Three calls in a row, by eager and by graphs that torch runs, leave the same."""
    session, runs = result.session, []
    for call in (session.eager, session.compiled):
        given = session.prepare(result.arguments)
        for _ in range(3):
            call(given)
        runs.append([x.clone() for x in session.outputs(None)])
    session.restore()
    assert len(session.recorder.pieces) == 2  # the first call has no gradients
    for x, y in zip(*runs, strict=True):
        torch.testing.assert_close(x, y, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("set_to_none", [True, False])
def test_what_a_call_leaves_is_what_the_next_one_begins_with(name, set_to_none):
    """Gradients, also those of arguments, and what the optimizer keeps."""
    net = network(2, 8, 1)
    optimizer = OPTIMIZERS[name](net.parameters())

    def step(x):
        optimizer.zero_grad(set_to_none=set_to_none)
        residual(net, x).square().mean().backward()
        optimizer.step()

    result = one_graph(captured("torch", step, X.clone().requires_grad_()))
    assert not optimizer.state
    three_calls_agree(result)


@pytest.mark.parametrize("how", ["a module's tensor", "Python's generator"])
def test_what_changes_beside_tensors_is_run_by_torch(how):
    net = network(2, 8, 1)
    net.last = X

    def f(x):
        loss = residual(net, x).square().mean()
        if how == "a module's tensor":
            net.last = x.detach() * 2
        else:
            loss = loss * random.choice([1.0, 1.0])
        loss.backward()
        return loss

    result = agrees(captured("torch", f, X.clone().requires_grad_()))
    assert net.last is X
    assert any("no single graph" in each.reason for each in result.graph_breaks)


def test_where_python_goes_on_by_a_value_torch_runs_it_and_the_break_says_so():
    net = network(2, 8, 1)

    def f(x):
        loss = residual(net, x).square().mean()
        loss.backward()
        return loss * 2 if loss > 100 else loss

    result = agrees(captured("torch", f, X.clone().requires_grad_()))
    assert any("no single graph" in each.reason for each in result.graph_breaks)
