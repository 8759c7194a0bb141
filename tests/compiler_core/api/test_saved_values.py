"""What a forward graph hands on that is an argument of its own, or a view of one, is that argument:
autograd's own checks look at it."""

import pytest
import torch
from torch import nn

from compiler_core.api import dynamo_backend

pytestmark = pytest.mark.cpu


def compiled(fn, backend):
    torch._dynamo.reset()
    return torch.compile(fn, backend=backend)


def second_order(fn):
    x = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    (g,) = torch.autograd.grad(fn(x), x, create_graph=True)
    return torch.autograd.grad((g * x).sum(), x)[0]


PROGRAMS = {
    "argument": lambda x: (x * x.sum()).sum(),
    "result": lambda x: x.sum().exp(),
    "penalty": lambda x: x.pow(4).sum(),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_order_gradients_are_refused(name):
    """torch.compile has none: a number would be a wrong one."""
    with pytest.raises(RuntimeError, match="does not currently support double backward"):
        second_order(compiled(PROGRAMS[name], dynamo_backend.fuselab))


def changed_before_backward(fn):
    x = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    y = fn(x)
    with torch.no_grad():
        x.add_(10)
    y.sum().backward()
    return x.grad


@pytest.mark.parametrize(
    "program", [PROGRAMS["argument"], lambda x: x @ (x.t() @ x)], ids=["argument", "view"]
)
@pytest.mark.parametrize("backend", [dynamo_backend.fuselab, "aot_eager"], ids=["ours", "torch"])
def test_a_saved_argument_that_is_changed_before_the_backward_pass_is_an_error(program, backend):
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        changed_before_backward(compiled(program, backend))


def test_a_saved_result_that_is_changed_before_the_backward_pass_is_an_error():
    y = compiled(torch.exp, dynamo_backend.fuselab)(torch.ones(3, requires_grad=True))
    with torch.no_grad():
        y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize("dynamic", [False, True])
def test_saved_arguments_and_their_views_are_not_copied(dynamic):
    torch.manual_seed(1)
    layer, cube = nn.Linear(6, 5), torch.ones(2, 6, 4, requires_grad=True)

    def program(x):
        twice = torch.bmm(x.expand(2, *x.shape), cube)
        return (torch.relu(layer(x)) @ layer.weight).sum() * twice.sin()

    fn = torch.compile(program, backend=dynamo_backend.fuselab, dynamic=dynamic)
    for rows in (8, 12):
        x = torch.linspace(-1, 1, rows * 6).reshape(rows, 6).requires_grad_()
        y = fn(x)
        saved = {t.data_ptr() for t in y.grad_fn.saved_tensors}
        assert {x.data_ptr(), layer.weight.data_ptr(), cube.data_ptr()} <= saved
        ours = torch.autograd.grad(y.sum(), [x, layer.weight, cube])
        theirs = torch.autograd.grad(program(x).sum(), [x, layer.weight, cube])
        torch.testing.assert_close(ours, theirs)


def test_a_result_that_is_saved_too_is_one_tensor():
    x = torch.ones(3, requires_grad=True)
    y = compiled(torch.exp, dynamo_backend.fuselab)(x)
    (saved,) = y.grad_fn.saved_tensors
    assert saved is y or saved.data_ptr() == y.data_ptr()


LOSSES = {
    "logsigmoid": nn.functional.logsigmoid,
    "multilabel": lambda x: nn.functional.multilabel_soft_margin_loss(x, (x.detach() > 0).float()),
}


@pytest.mark.parametrize("name", LOSSES)
def test_what_an_operation_keeps_for_its_gradient_is_computed(name):
    torch.manual_seed(0)
    x = torch.randn(5, 6, requires_grad=True)
    (expected,) = torch.autograd.grad(LOSSES[name](x).sum(), x)
    (found,) = torch.autograd.grad(compiled(LOSSES[name], "fuselab")(x).sum(), x)
    torch.testing.assert_close(found, expected)
