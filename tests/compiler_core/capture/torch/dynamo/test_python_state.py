"""Lists, dicts and numbers that a program changes are as they were before each of its runs."""

import functools
import sys

import pytest
import torch
from torch import nn

from compiler_core.capture.torch.dynamo.state import State
from tests.compiler_core.capture.oracle import agrees, captured
from tests.compiler_core.pipeline.several import program_of

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

X = torch.linspace(-1, 1, 12).reshape(3, 4)


class Recording(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen, self.by_name, self.calls = [], {"means": []}, 0

    def forward(self, x):
        self.calls += 1
        self.seen.append(x * 2)
        self.by_name["means"].append(x.mean())
        self.by_name["last"] = x
        return x * len(self.seen) + self.calls


def kept(model):
    return model.calls, len(model.seen), {k: type(v) for k, v in model.by_name.items()}


def test_each_run_begins_with_lists_and_numbers_as_they_were():
    model = Recording()
    before = kept(model)
    found = agrees(captured("torch", model, X))
    first, again = (found.eager(found.arguments)[0] for _ in range(2))
    assert torch.equal(first, again) and torch.equal(first, X + 1)
    found.exact(found.arguments)
    assert kept(model) == before and not model.by_name["means"]


def test_only_what_has_changed_is_put_back():
    """A list that grew has its items again, in the same list; what is too long is let be."""
    short, long = [1, [2]], list(range(20_000))

    def f(x):
        return x * len(short) * len(long)

    state = State(f, ())
    inner = short[1]
    short.append(3)
    inner.clear()
    long.append(4)
    state.restore()
    assert short == [1, [2]] and short[1] is inner and len(long) == 20_001


@functools.cache
def table(n):
    return torch.arange(n) * 2.0


def test_what_a_function_remembers_is_no_tensor_of_a_trace(monkeypatch):
    monkeypatch.setattr(sys.modules["__main__"], "table", table, raising=False)
    agrees(captured("torch", lambda x: x + table(x.shape[-1]), X))
    assert type(table(4)) is torch.Tensor


GROWS = """
import torch
seen = []

@torch.compile
def f(x):
    y = x.relu()
    seen.append(y.mean().item())
    return y * len(seen)

for _ in range(3):
    f(torch.linspace(-1, 1, 40))
"""


def test_a_program_that_counts_its_calls_is_not_called_unsteady():
    program = program_of(GROWS)
    assert {n: (x.ok, x.error) for n, x in program.numerics.items()} == {
        "eager": (True, ""),
        "core": (True, ""),
    }


def test_a_list_of_tensors_that_grows_is_one_graph_and_right():
    program = program_of(GROWS.replace(".item()", ""))
    assert program.numerics["core"].ok and not program.graph_breaks
