"""Inputs of a compiled function that is called again, and whose memory is then shared otherwise."""

import pytest
import torch

from compiler_core.api import dynamo_backend

pytestmark = pytest.mark.cpu


def _apart():
    return torch.arange(6.0), torch.arange(6.0) + 3


def _shared(first, second):
    base = torch.arange(24.0)
    return base[first : first + 6], base[second : second + 6]


CALLS = {
    "begin elsewhere": [lambda: _shared(2, 3), lambda: _shared(4, 5), lambda: _shared(2, 4)],
    "have memory of their own first": [_apart, lambda: _shared(2, 3), _apart],
    "overlap later": [lambda: _shared(2, 8), lambda: _shared(3, 4), lambda: _shared(4, 3)],
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dynamic", [None, True])
def test_inputs_of_a_later_call_that_share_memory_otherwise_are_written_to(name, dynamic):
    def f(x, y):
        y.mul_(2)
        return x * 3, y.sum()

    ours = torch.compile(f, backend=dynamo_backend.fuselab, dynamic=dynamic)
    for given in CALLS[name]:
        (x, y), (a, b) = given(), given()
        assert all(map(torch.equal, ours(x, y), f(a, b)))
        assert torch.equal(x, a) and torch.equal(y, b)


def test_who_calls_with_inputs_that_share_memory_otherwise_is_told_that_torch_runs_it():
    def f(x, y):
        y.mul_(2)
        return x * 3, y.sum()

    ours = torch.compile(f, backend=dynamo_backend.fuselab)
    ours(*_shared(2, 3))
    with pytest.warns(dynamo_backend.FuselabFallback, match="share memory otherwise"):
        ours(*_shared(2, 4))


@pytest.mark.parametrize("view", [lambda x: x[len(x) // 2 :], lambda x: x.T[:, len(x) // 2 :]])
def test_a_view_that_begins_at_a_size_of_a_written_input_is_of_its_memory(view):
    def f(x):
        x.add_(1)
        return view(x)

    ours = torch.compile(f, backend=dynamo_backend.fuselab, dynamic=True)
    with pytest.warns(dynamo_backend.FuselabFallback, match="begins varies with a size"):
        ours(torch.zeros(8, 4))
    for n in (6, 9):
        x, other = torch.arange(4.0 * n).view(n, 4), torch.arange(4.0 * n).view(n, 4)
        assert torch.equal(ours(x), f(other)) and torch.equal(x, other)
