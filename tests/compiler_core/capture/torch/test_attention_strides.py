"""Attention is captured as mathematics, with the strides of torch's closed kernel."""

import itertools

import pytest
import torch
from torch.nn import functional

from compiler_core.api import dynamo_backend
from tests.compiler_core.capture.oracle import agrees, captured, library_calls
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

SHAPES = [(2, 11, 3, 8), (2, 11, 1, 8), (1, 5, 3, 8)]


def by_heads(q, k, v):
    return functional.scaled_dot_product_attention(*(t.transpose(1, 2) for t in (q, k, v)))


def joined(q, k, v):
    """A view that only the closed kernel's strides allow."""
    return by_heads(q, k, v).transpose(1, 2).view(q.shape[0], q.shape[1], -1)


def strides(x):
    """Of the dimensions that have more than one element: along others no stride is taken."""
    return [stride for size, stride in zip(x.shape, x.stride(), strict=True) if size > 1]


def given(shape, grad=False):
    return [torch.rand(shape).requires_grad_(grad) for _ in range(3)]


@pytest.fixture(autouse=True)
def _forget():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


PROGRAMS = (by_heads, joined, functional.scaled_dot_product_attention)
COMPILED = list(itertools.product(PROGRAMS, (False, True), SHAPES))
# Each program with and without gradients, and each shape.
KEPT = [(p, grad, SHAPES[(i + grad) % 3]) for i, p in enumerate(PROGRAMS) for grad in (False, True)]


@pytest.mark.parametrize(("program", "grad", "shape"), thinned(COMPILED, KEPT))
def test_compiled_results_have_the_strides_of_eager_ones(program, grad, shape):
    tensors = given(shape, grad)
    expected = program(*tensors)
    found = torch.compile(program, backend=dynamo_backend.fuselab)(*tensors)
    torch.testing.assert_close(found, expected)
    assert strides(found) == strides(expected)


def test_gradients_are_the_same():
    tensors = given(SHAPES[0], grad=True)
    own = torch.autograd.grad(joined(*tensors).square().sum(), tensors)
    fn = torch.compile(joined, backend=dynamo_backend.fuselab)
    found = torch.autograd.grad(fn(*tensors).square().sum(), tensors)
    for ours, theirs in zip(found, own, strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_view_of_the_result_is_captured(shape):
    assert library_calls(agrees(captured("torch", joined, *given(shape)))) == []
