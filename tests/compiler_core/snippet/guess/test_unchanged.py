"""What trials of a guess leave: the snippet as it was."""

import pytest
import torch

from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

TORCH = "import torch\nfrom torch import nn\n"


def test_trials_leave_the_snippet_as_it_was():
    """A running statistic, the random numbers and what is printed."""
    source = (
        TORCH + "bn = nn.BatchNorm1d(4)\ndef forward(x):\n    print('called')\n    return bn(x)\n"
    )
    found = explore(source)
    (program,) = found.programs
    assert found.stdout == "" and tuple(program.args[0].shape)[-1] == 4


REMEMBERED = """
import functools
@functools.lru_cache
def table(n):
    return torch.arange(n) * 2.0
def f(x):
    return x + table(x.shape[-1])
"""


def test_a_trial_leaves_nothing_remembered():
    (program,) = explore(TORCH + REMEMBERED).programs
    assert type(program.fn(*program.args)) is torch.Tensor


STATEFUL = """
w = nn.Parameter(torch.randn(4, 4))
opt = torch.optim.SGD([w], lr=0.1, momentum=0.9)
state = {}
def step(x):
    loss = (x @ w).square().mean()
    loss.backward()
    if "m" not in state:
        state["m"] = torch.zeros_like(w)
    opt.step()
    return loss
"""


def test_a_trial_leaves_no_tensor_without_values_behind():
    """They have no memory: a kernel that read the moment died, and the process with it."""
    (program,) = explore(TORCH + STATEFUL).programs
    names = program.fn.__globals__
    assert names["state"] == {} and names["w"].grad is None and not names["opt"].state
    program.fn(*program.args)
    assert type(names["state"]["m"]) is torch.Tensor


UPDATED = """
w = torch.randn(4, 4).requires_grad_()
def step(x):
    (x @ w).square().mean().backward()
    w.data += -0.1 * w.grad
    return w.grad.norm()
"""


def test_a_trial_leaves_parameters_their_memory():
    (program,) = explore(TORCH + UPDATED).programs
    w = program.fn.__globals__["w"]
    assert w.device.type == "cpu" and w.grad is None
    assert torch.is_tensor(program.fn(*program.args))
