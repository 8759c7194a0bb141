"""Reductions whose squares, sums or weights leave f32 give what torch gives, and so do their
gradients. All programs of a case are one: one compilation."""

import math

import pytest
import torch
import torch.nn.functional as F

from compiler_core.interop.arrays import to_torch_all
from compiler_core.pipeline.one_graph import compile_graph
from tests.compiler_core.capture.oracle import captured
from tests.sweep_plugin import crossed

pytestmark = pytest.mark.cpu

INF = math.inf
ROWS = torch.randn(3, 40, generator=torch.Generator().manual_seed(0))
SCORES = ROWS[:, :20].reshape(5, 3, 4)


def with_gradients(*functions):
    """Each function's result, and its gradient."""

    def program(x):
        found = []
        for function in functions:
            with torch.enable_grad():
                leaf = x.detach().requires_grad_()
                result = function(leaf)
                (gradient,) = torch.autograd.grad(result.sum(), leaf)
            found += [result.detach(), gradient]
        return tuple(found)

    return program


def gives_what_torch_gives(program, x):
    made = captured("torch", program, x)
    found = compile_graph(made.whole, "cpu")(to_torch_all(made.arguments))
    for ours, eagers in zip(found, program(x), strict=True):
        torch.testing.assert_close(ours, eagers, rtol=1e-5, atol=0, equal_nan=True)


@pytest.mark.parametrize("size", [1e20, 3e38, 1e-25])
def test_a_variance_beyond_f32_has_a_root_within(size):
    deviations = with_gradients(lambda x: x.std(1), lambda x: x.var(1))
    gives_what_torch_gives(deviations, ROWS.clamp(-1, 1) * size)


@pytest.mark.parametrize(("reduction", "of"), crossed(["mean", "sum", "none"], ["rows", "images"]))
def test_an_infinite_weight_of_a_class_is_that_of_its_targets_alone(of, reduction):
    weight = torch.tensor([1.0, INF, 2.0, 0.0])
    scores = SCORES[:, 0] if of == "rows" else SCORES.permute(2, 1, 0)[None]
    losses = with_gradients(*(
        lambda x, target=target: F.cross_entropy(
            x, torch.tensor(target).expand(scores[:, 0].shape), weight, reduction=reduction)
        for target in ([0, 2, 0, 2, 0], [0, 1, 0, 2, 0], [0, -100, 2, 0, 3])
    ))  # fmt: skip
    gives_what_torch_gives(losses, scores)


def test_an_infinity_that_comes_in_stays_outside_the_bounds_of_softshrink():
    def gradient(x):
        with torch.enable_grad():
            leaf = x.detach().requires_grad_()
            (found,) = torch.autograd.grad(F.softshrink(leaf), leaf, torch.full_like(x, INF))
        return (found,)

    gives_what_torch_gives(gradient, ROWS)


def test_gradients_of_a_scattered_product_with_zeros_among_its_factors():
    places = torch.tensor([[1, 1, 2, 0], [1, 0, 2, 0], [0, 0, 2, 1]])
    factors = SCORES[:3, 0].clone()
    factors[0, 0] = factors[1, 0] = factors[0, 2] = 0
    gives_what_torch_gives(
        with_gradients(lambda x: torch.ones(3, 4).scatter_reduce(0, places, x, "prod")), factors
    )
