"""Broken snippets as people write them, and what they are told: one sentence and what to do."""

import io
import sys

import pytest

from compiler_core import report
from compiler_core.pipeline import explore
from tests.compiler_core.pipeline.test_each_error import JAX, OURS, TORCH

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("undisassembled")]

NET = """import torch
class Net(torch.nn.Module):
    def __init__(self):
        {}
        self.layer = torch.nn.Linear(4, 4)
{}
torch.compile(Net())(torch.ones(2, 4))
"""
OF_ASYNC = """import torch
@torch.compile
async def f(x):
    return torch.relu(x)
f(torch.ones(4))
"""
OF_GENERATOR = """import torch
@torch.compile
def f(x):
    for i in range(3):
        yield x + i
f(torch.ones(4))
"""
OF_NUMPY = "import numpy as np\ndef f(x):\n    return np.tanh(x)\nf(np.ones(3))\n"
QUANTIZED = """import torch
q = torch.quantize_per_tensor(torch.ones(4), 0.1, 0, torch.qint8)
torch.compile(lambda x: x.dequantize() + 1)(q)
"""
SPARSE = "import torch\ntorch.compile(lambda s: s @ torch.ones(4, 2))(torch.eye(4).to_sparse())\n"
FETCHED = "import urllib.request\nurllib.request.urlopen('http://nowhere.invalid/w.bin')\n"
DIVIDED = """import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Explicit,))
a = jax.device_put(jnp.ones((4, 4)), NamedSharding(mesh, P(None, "x")))
b = jax.device_put(jnp.ones((4, 4)), NamedSharding(mesh, P("x", None)))
jax.jit(jnp.matmul)(a, b)
"""
# By what is wrong: the snippet, and words of the sentence and of the remedy.
BROKEN = {
    "a typo in a function": (TORCH.format("torch.rleu(x)"), "no attribute 'rleu'", "relu?"),
    "a typo in a variable": (TORCH.format("torch.relu(xx)"), "'xx' is not", "did you mean x?"),
    "no import": ("def f(x):\n    return jnp.sin(x)\nf(1.0)\n", "'jnp'", "import jax.numpy as jnp"),
    "shapes that do not fit": (JAX.format("x @ jnp.ones((5, 2))"), "dot_general", "correct"),
    "no forward": (NET.format("super().__init__()", ""), "forward", "a method forward"),
    "no super": (NET.format("pass", ""), "before", "super().__init__()"),
    "a generator": (OF_GENERATOR, "a generator", "as a tuple"),
    "a coroutine": (OF_ASYNC, "a coroutine", "without async"),
    "numpy alone": (OF_NUMPY, "a numpy array", "jax.numpy"),
    "a huge tensor": (TORCH.format("x @ torch.ones(4, 10**13)"), "no memory for", "smaller"),
    "a file": ("import torch\ntorch.load('w.pt')\n", "No such file", "no files of yours"),
    "the network": (FETCHED, "URLError", "no network"),
    "a question": ("n = int(input('n? '))\n", "EOF", "nobody can type"),
    "a quantized input": (QUANTIZED, "torch.qint8", "dequantize()"),
    "a sparse input": (SPARSE, "sparse", "to_dense()"),
    "a sharding that is ambiguous": (DIVIDED, "ambiguous", "AxisType.Auto"),
    "a division by zero": ("x = 1 // 0\n", "ZeroDivisionError", "correct the snippet"),
    "jax's own rule": (
        "import jax, jax.numpy as jnp\njax.jit(jax.grad(lambda x: x * 2))(jnp.ones(3))\n",
        "scalar-output", "correct",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.filterwarnings("ignore:.*quantiz:UserWarning")
def test_a_broken_snippet_is_told_what_is_wrong_and_what_to_do(what, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # as a run has it
    source, words, remedy = BROKEN[what]
    found = explored(source)
    assert words in found.message and remedy in found.remedy
    assert not OURS.search(f"{found.message} {found.remedy} {found.traceback}")


def explored(source):
    """The first failure: of the snippet, or where that has none, of its program."""
    result = report.Report()
    explore(source, report.Options(device="cpu", measure=False),
            lambda event: report.apply(result, event))  # fmt: skip
    return result.error or next(p.error for p in result.programs if p.error)
