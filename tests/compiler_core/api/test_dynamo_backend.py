"""torch.compile(model, backend="fuselab"), in a process that knows nothing of Fuselab but that it
is installed."""

import subprocess
import sys
import warnings

import pytest
import torch
from torch import nn

from compiler_core.api import dynamo_backend
from compiler_core.errors import Unsupported

pytestmark = pytest.mark.cpu

MODEL = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2))


@pytest.fixture(autouse=True)
def _forget():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def compiled(fn):
    return torch.compile(fn, backend=dynamo_backend.fuselab)


def test_it_is_found_by_its_name_in_another_process():
    code = (
        "import torch\n"
        "f = torch.compile(lambda x: torch.relu(x) * 2, backend='fuselab')\n"
        "print(f(torch.tensor([-1.0, 3.0])).tolist())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd="/"
    )
    assert result.stdout == "[0.0, 6.0]\n", result.stderr


def test_a_model_computes_the_same():
    x = torch.rand(4, 6)
    with torch.no_grad():
        torch.testing.assert_close(compiled(MODEL)(x), MODEL(x))


def test_gradients_are_the_same():
    x = torch.rand(4, 6)

    def gradients(model):
        model(x).square().mean().backward()
        found = [p.grad.clone() for p in MODEL.parameters()]
        MODEL.zero_grad()
        return found

    for ours, theirs in zip(gradients(compiled(MODEL)), gradients(MODEL), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_other_shapes_are_compiled_when_they_come():
    model = compiled(MODEL)
    with torch.no_grad():
        for rows in (4, 5, 9, 5):
            x = torch.rand(rows, 6)
            torch.testing.assert_close(model(x), MODEL(x))


def test_python_between_the_graphs_runs(capsys):
    def f(x):
        y = x * 2
        if y.sum() > 0:
            sys.stdout.write("positive\n")
        return y + 1

    torch.testing.assert_close(compiled(f)(torch.ones(3)), torch.full((3,), 3.0))
    assert capsys.readouterr().out == "positive\n"


def test_what_is_refused_is_run_by_torch_with_a_warning(monkeypatch):
    def refuse(graph, device):
        raise Unsupported("no kernel for this")

    monkeypatch.setattr(dynamo_backend, "compile_graph", refuse)
    with pytest.warns(
        dynamo_backend.FuselabFallback, match=r"piece graph of 2 .* no kernel for this"
    ):
        result = compiled(lambda x: torch.sin(x) + 1)(torch.zeros(3))
    assert result.tolist() == [1, 1, 1]


def test_a_fault_of_ours_is_said_to_be_one(monkeypatch):
    monkeypatch.setattr(dynamo_backend, "compile_graph", None)
    with pytest.warns(dynamo_backend.FuselabFallback, match=r"fault of Fuselab's: TypeError"):
        compiled(lambda x: x + 1)(torch.zeros(3))


def test_nothing_is_said_where_all_is_compiled():
    with warnings.catch_warnings():
        warnings.simplefilter("error", dynamo_backend.FuselabFallback)
        compiled(lambda x: torch.softmax(x, -1))(torch.rand(3, 4))
