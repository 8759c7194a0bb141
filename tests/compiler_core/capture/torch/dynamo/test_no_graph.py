"""What AOTAutograd says that it does not do, and what is a fault of its, are told apart."""

import re
from pathlib import Path

import pytest
import torch
from torch import _functorch, nn

from compiler_core.api import dynamo_backend
from compiler_core.capture.torch.dynamo import no_graph

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("dynamo_forgotten")]

WEIGHT = nn.Parameter(torch.tensor(2.0))
X = torch.arange(12.0).reshape(4, 3)


def _without_a_gradient(x):
    return torch.igamma(WEIGHT * x + 1, x + 1)


def _over_what_the_gradient_reads(x):
    y = x * WEIGHT
    z = torch.sigmoid(y) * y
    y.copy_(y.flip(0))
    return z, y


def _written(x, y):
    return x.add_(1) * 1, y * 2


def _detached():
    x = X.clone().requires_grad_() * 1
    return x.detach(), x


# What refuses, and its arguments, by a part of what torch says.
REAL = {
    "the derivative for ": (_without_a_gradient, lambda: (X,)),
    "modified by an inplace operation": (_over_what_the_gradient_reads, lambda: (X,)),
    "input mutations on views with different dtypes": (
        _written,
        lambda: (x := X.clone(), x.view(torch.int16)),
    ),
    "non-differentiable view input mutations": (_written, _detached),
}


@pytest.mark.parametrize("said", REAL)
def test_a_refusal_is_said_in_our_words_and_torch_runs_the_graph(said):
    f, given = REAL[said]
    words = re.escape(no_graph.REFUSES.format(no_graph.REFUSALS[said]))
    with pytest.warns(dynamo_backend.FuselabFallback, match=words):
        found = torch.compile(f, backend=dynamo_backend.fuselab)(*given())
    own, found = f(*given()), found if isinstance(found, tuple) else (found,)
    for a, b in zip(found, own if isinstance(own, tuple) else (own,), strict=True):
        assert torch.equal(a, b)


# Compiled as if torch had it.
_OF_TORCHS = compile("def fails(*_, **__):\n    assert False, 'expected 3 outputs'\n",
                     f"{Path(_functorch.__file__).parent}/aot_autograd.py", "exec")  # fmt: skip


def test_a_fault_of_torchs_is_called_one_and_torch_runs_the_graph(monkeypatch):
    space = {}
    exec(_OF_TORCHS, space)
    monkeypatch.setattr(torch._functorch.aot_autograd, "create_aot_state", space["fails"])
    said = r"AOTAutograd fails at the operations up to here, by a fault of torch's: AssertionError"
    with pytest.warns(dynamo_backend.FuselabFallback, match=said):
        found = torch.compile(lambda x: x + 1, backend=dynamo_backend.fuselab)(X)
    assert torch.equal(found, X + 1)


def _in_torchs_sources():
    folder = Path(_functorch.__file__).parent
    files = [*folder.glob("*.py"), *folder.glob("_aot_autograd/*.py")]
    text = "".join(file.read_text() for file in files)
    return " ".join(text.replace('"\n', "").replace('f"', '"').replace('"', "").split())


# What is in torch's libraries, which are no text.
_OF_LIBRARIES = (
    "modified by an inplace operation", "on tensor with symbolic sizes/strides",
    "the derivative for ", "refers to a single memory location",
)  # fmt: skip


@pytest.mark.parametrize("said", [x for x in no_graph.REFUSALS if x not in _OF_LIBRARIES])
def test_torch_says_so(said):
    """Word for word, in the version that is installed."""
    assert said in _in_torchs_sources()
