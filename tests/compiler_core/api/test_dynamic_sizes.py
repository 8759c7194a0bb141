"""torch.compile(model, backend="fuselab", dynamic=True): compiled once, called with many sizes."""

import warnings

import pytest
import torch
from torch import nn
from torch.nn import functional

from compiler_core.api import dynamo_backend
from compiler_core.api.dynamo_backend import FuselabSpecialised

pytestmark = pytest.mark.cpu

BATCHES = (5, 9, 32, 700)


@pytest.fixture(autouse=True)
def _forget():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def compilations(monkeypatch):
    """The graphs that have been compiled."""
    graphs, compile_graph = [], dynamo_backend.compile_graph

    def counted(captured, device):
        graphs.append(captured.graph)
        return compile_graph(captured, device)

    monkeypatch.setattr(dynamo_backend, "compile_graph", counted)
    return graphs


def compiled(fn, dynamic: bool | None = True):
    return torch.compile(fn, backend=dynamo_backend.fuselab, dynamic=dynamic)


def mlp():
    return nn.Sequential(nn.Linear(64, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 8))


PROGRAMS = {
    "bias and gelu": lambda x: functional.gelu(x + x[0]),
    "softmax over rows": lambda x: torch.softmax(x, -1),
    "mean over the batch": lambda x: x.mean(0),
    "variance over the batch": lambda x: x.var(0),
    "norm": lambda x: functional.layer_norm(x, (64,)),
    "all but the first and the last": lambda x: x[1:-1] * 2,
    "one after the other": lambda x: torch.cat([x, x * 2]),
    "the number of each row": lambda x: x + torch.arange(x.shape[0])[:, None],
    "rows by their numbers": lambda x: x[(x[:, 0] * 2).long()],
    "the logarithm of one class": lambda x: functional.cross_entropy(x, x[:, 0].long()),
}


@pytest.mark.parametrize("fn", PROGRAMS.values(), ids=PROGRAMS)
def test_one_compilation_serves_every_batch(fn, compilations):
    ours = compiled(fn)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for batch in BATCHES:
            x = torch.rand(batch, 64)
            torch.testing.assert_close(ours(x), fn(x))
    assert len(compilations) == 1


def gradients(model, x):
    model(x).square().mean().backward()
    found = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return found


def test_a_training_step_is_one_forward_and_one_backward_graph_for_every_batch(compilations):
    model = mlp()
    ours = compiled(model)
    for batch in BATCHES:
        x = torch.rand(batch, 64)
        for own, theirs in zip(gradients(ours, x), gradients(model, x), strict=True):
            torch.testing.assert_close(own, theirs, rtol=1e-4, atol=1e-5)
    assert len(compilations) == 2


def test_a_second_batch_makes_the_size_a_symbol_and_a_third_compiles_nothing(compilations):
    ours = compiled(torch.relu, dynamic=None)
    for batch, result in zip(BATCHES, (1, 2, 2, 2), strict=True):
        ours(torch.rand(batch, 64))
        assert len(compilations) == result


def test_a_dimension_that_is_marked_is_a_symbol_from_the_start(compilations):
    ours = compiled(torch.relu, dynamic=None)
    for batch in BATCHES:
        x = torch.rand(batch, 64)
        torch._dynamo.mark_dynamic(x, 0)
        torch.testing.assert_close(ours(x), torch.relu(x))
    (graph,) = compilations
    (value,) = graph.inputs
    batch, columns = value.type.shape
    assert str(batch).startswith("S") and columns == 64


def test_a_whole_number_is_an_input_like_any_other(compilations):
    ours = compiled(lambda x, k: (x * k + k - 1).sum(), dynamic=True)
    x = torch.rand(7, 64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in (3, 5, -4, 1000):
            torch.testing.assert_close(ours(x, k), (x * k + k - 1).sum())
    assert len(compilations) == 1


def test_an_expression_of_a_whole_number_is_compiled_for_each():
    ours = compiled(lambda x, k: x * (2 * k + 1), dynamic=True)
    x = torch.rand(7, 64)
    with pytest.warns(FuselabSpecialised, match="may be negative, and is part of an expression"):
        for k in (3, -4):
            torch.testing.assert_close(ours(x, k), x * (2 * k + 1))


def test_a_graph_that_needs_numbers_is_compiled_for_each_size_and_says_why(compilations):
    def halves(x):
        return x.view(-1, 4, x.shape[1]).sum(0)

    ours = compiled(halves)
    with pytest.warns(FuselabSpecialised, match=r"compiled for each size anew: .*//4"):
        for batch in (8, 12, 8):
            x = torch.rand(batch, 6)
            torch.testing.assert_close(ours(x), halves(x))
    assert len(compilations) == 2
