"""Backward graphs that torch has its own ways with: checkpoints, hooks, gradients that fail."""

import pytest
import torch

from compiler_core.capture import capture
from compiler_core.capture.torch.dynamo import private
from compiler_core.capture.torch.dynamo.breaks import FAILS
from compiler_core.snippet.execute import as_main
from tests.compiler_core.capture.oracle import agrees, captured
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


CHECKPOINTED = """
import torch
from torch.utils.checkpoint import checkpoint

net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8))

@torch.compile
def step(x):
    loss = checkpoint(lambda v: torch.sin(net(v)), x, use_reentrant=False).square().mean()
    loss.backward()
    return loss

kept = step(torch.linspace(-1, 2, 16).reshape(2, 8).requires_grad_())
"""


def test_a_checkpointed_graph_that_is_compiled_anew_is_the_same_one():
    """torch counts checkpointed regions, and says the number in the text of the graph."""
    (program,) = explore(CHECKPOINTED).programs
    with as_main(program.module):
        found = capture(program)
        private.forget()
        found.session.compiled(found.session.prepare(found.arguments))
        found.session.restore()
    assert len(found.session.recorder.pieces) == len(found.graphs) == 2


def test_a_checkpoint_of_a_function_inside_a_training_step_has_its_reference_in_float64():
    (program,) = explore(CHECKPOINTED).programs
    with as_main(program.module):
        found = capture(program)
        outputs = found.session.exact(found.arguments)
        found.session.restore()
    assert {x.dtype for x in outputs} == {torch.float64}
    # The loss; x and its gradient; four parameters and their gradients.
    assert len(outputs) == 1 + 2 + 8


HOOKED = """
    import torch

    @torch.compile
    def f(x):
        y = x * 2
        y.register_hook(lambda g: g * 3)
        y.sum().backward()
        return x.grad

    f(torch.ones(3, requires_grad=True))
"""


def test_a_hook_on_a_gradient_runs_between_the_graphs():
    (program,) = explore(HOOKED).programs
    with as_main(program.module):
        result = agrees(capture(program))
    assert [g.role for g in result.graphs][:2] == ["forward", "backward"]
    assert result.eager(result.arguments)[0].tolist() == [6, 6, 6]


@torch.library.custom_op("fuselab_tests::with_first_again", mutates_args=())
def with_first_again(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x, x[:1]])


@with_first_again.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    # One element less than there is: what its author got wrong.
    return torch.empty_like(x)


def _gradient_of_it(ctx, grad):
    (out,) = ctx.saved_tensors
    return (grad * out)[: ctx.size]


def _kept_for_it(ctx, inputs, output):
    ctx.size = inputs[0].shape[0]
    ctx.save_for_backward(output)


with_first_again.register_autograd(_gradient_of_it, setup_context=_kept_for_it)


def test_a_backward_graph_that_torch_cannot_run_is_said_with_what_it_raises():
    def step(x):
        with_first_again(x).sum().backward()
        return x.grad

    result = agrees(captured("torch", step, torch.ones(8, requires_grad=True)))
    assert [g.role for g in result.graphs] != ["forward", "backward"]
    begins, ends = FAILS.split("{}")
    (said,) = [b.reason for b in result.graph_breaks if b.reason.startswith(begins)]
    assert said.startswith(begins) and said.endswith(ends), said
    assert "size of tensor a (8) must match" in said
