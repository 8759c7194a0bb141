"""Programs that put rows in order, from torch and from JAX, forwards and backwards: right, and
kernels on both devices, without a library."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from compiler_core import report
from compiler_core.api.explore import explore
from compiler_core.pipeline import evaluation
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]


def ordered(x):
    values, places = torch.sort(-x, dim=1, descending=True, stable=True)
    return values * 2, places, torch.argsort(x, dim=0, stable=True)


def best(x):
    values, places = torch.topk(x, 5)
    least = torch.topk(x, 3, largest=False).values
    return torch.softmax(values, 1), places, least, torch.median(x, 1).values


def experts(x):
    """Of a mixture: the weights of the two best of each row, at their places."""
    values, places = torch.topk(torch.softmax(x, 1), 2)
    return torch.zeros_like(x).scatter(1, places, values / values.sum(1, keepdim=True))


def trained(x):
    w = x.detach().requires_grad_()
    loss = (torch.topk(w, 4).values ** 2).sum() + (w.sort(0).values * x).sum()
    loss.backward()
    return w.grad


OF_TORCH = {"ordered": ordered, "best": best, "experts": experts, "trained": trained}


def explored(fn, *args):
    (program,) = explore(fn, *args, fuselab_options=report.Options(measure=False)).programs
    assert program.error is None and program.numerics["core"].ok
    assert {k.backend for k in program.kernels} == {"cpu", "gpu"}
    assert [k.library for k in program.kernels] == [None] * len(program.kernels)
    sorts = [k for k in program.kernels if k.kind in ("sort", "top_k")]
    assert {k.backend for k in sorts} == {"cpu", "gpu"}
    return sorts


@pytest.mark.parametrize("name", OF_TORCH)
def test_of_torch(name):
    x = torch.randn(40, 60, generator=torch.Generator().manual_seed(1))
    explored(OF_TORCH[name], x)


def test_of_jax():
    def fn(x):
        values, places = jax.lax.top_k(x, 4)
        by_two = jax.lax.sort((jnp.floor(x), x, x * 2), num_keys=2)
        return jnp.sort(x, axis=0), jnp.argsort(x, descending=True), values, places, *by_two

    explored(fn, np.random.default_rng(1).standard_normal((40, 60)).astype(np.float32))


def test_gradients_of_jax():
    def loss(x):
        return (jnp.sort(x) * jnp.arange(60.0)).sum() + (jax.lax.top_k(x, 4)[0] ** 2).sum()

    explored(jax.grad(loss), np.random.default_rng(1).standard_normal((40, 60)).astype(np.float32))


def test_the_ways_that_were_considered_are_in_the_report():
    sorts = explored(lambda x: torch.topk(x, 10), torch.randn(8, 30000))
    for backend, names, chosen in (
        ("cpu", ["network", "radix", "selection", "collection", "library"], "selection"),
        ("gpu", ["counting", "selection", "bitonic", "merge", "library"], "merge"),
    ):
        kernels = [k for k in sorts if k.backend == backend]
        together = [k.id for k in kernels] if len(kernels) > 1 else []
        for kernel in kernels:
            assert [c.strategy for c in kernel.candidates] == names
            assert all(c.cost_us is not None or c.reason for c in kernel.candidates)
            assert kernel.schedule.strategy == chosen and kernel.schedule.reason
            assert kernel.chosen_with == together


# -- of several graphs, with many elements that are equal

EQUALS = (torch.arange(6 * 33) % 4).float().view(6, 33)


def moved(x):
    order = torch.argsort(x, 1)
    few = order[:, 2:5].t() if x.sum() > 0 else order
    return order, few, order.float().flip(0), torch.sort(x, 0).indices[0]


def of_the_few(x):
    few = torch.topk(x, 5), torch.topk(x, 3, largest=False), torch.kthvalue(x, 3)
    return (*few, torch.mode(x, 1), torch.median(x, 0)) if x.sum() > 0 else few


def standing_there(x):
    order = torch.argsort(x, 1)
    other = x * 7 + torch.arange(33) if x.sum() > 0 else x
    return torch.gather(other, 1, order), torch.zeros_like(x).scatter(1, order, x + order)


def gradients(x):
    w = x.detach().requires_grad_()
    loss = torch.topk(w, 5).values.pow(2).sum() + (w.sort(1).values * torch.arange(33)).sum()
    (loss + w.median(1).values.sum() + w.mode(1).values.sum()).backward()
    return w.grad


def of_several_graphs(fn):
    (program,) = explore(fn, EQUALS, fuselab_options=report.Options(measure=False)).programs
    assert len(program.graphs) > 2
    return program.numerics["core"]


@pytest.mark.parametrize("fn", (moved, of_the_few, standing_there, gradients))
def test_of_several_graphs_any_of_equal_elements_may_be_first(fn):
    found = of_several_graphs(fn)
    assert found.ok and found.max_abs_error < 1e-4


# The places themselves, and what is added up by them.
MISTAKEN = (moved, gradients)


@pytest.mark.parametrize("fn", thinned((moved, of_the_few, standing_there, gradients), MISTAKEN))
def test_of_several_graphs_another_place_is_wrong(monkeypatch, fn):
    made = evaluation.linked

    def mistaken(*args):
        right = made(*args)
        return replace(right, outputs=lambda given: [y.roll(1, -1) for y in right.outputs(given)])

    monkeypatch.setattr(evaluation, "linked", mistaken)
    assert not of_several_graphs(fn).ok
