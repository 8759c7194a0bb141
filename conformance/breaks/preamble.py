"""What a random program with graph breaks stands in: its module, and what it is called with."""

import random

# `seen`, `kept`, `counts`, `total`, `rng` and `net` are what it may change beside its arguments.
PREAMBLE = """import contextlib
import copy
import dataclasses
import functools
import math
import random

import numpy as np
import torch
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

seen, kept, counts, total, rng = [], [], {"calls": 0}, set(), random.Random(3)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor(2.0))
        self.register_buffer("steps", torch.zeros(()))
        self.calls, self.last = 0, None

    def forward(self, a):
        self.calls += 1
        self.steps += 1
        return a * self.scale


net = Net()


def noted(a):
    seen.append(a.detach().sum().item())
    return a + 1


@torch.compiler.disable
def twice(a):
    seen.append("twice")
    return a + a.sign()


def parts(a):
    for n in range(2):
        seen.append(n)
        yield a * n
        seen.append("next")


def checkpointed(a):
    return checkpoint(torch.tanh, a, use_reentrant=False)


@functools.cache
def known(n):
    return n * 2


def remember(a):
    kept.append(a.detach() * known(a.dim()))


def positive(a):
    if a.sum() <= 0:
        raise ValueError("not positive")
    return a * 1


def doubled(a, *, by=1):
    print("doubled", by)
    return a + by


@dataclasses.dataclass
class Pair:
    tensor: torch.Tensor
    number: int = 0

    def scaled(self):
        self.number += 1
        if self.tensor.sum() > 0:
            return self.tensor + self.number
        return self.tensor


class Around:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        seen.append("in " + self.name)

    def __exit__(self, *raised):
        seen.append("out of " + self.name)


@contextlib.contextmanager
def around(name):
    seen.append("in " + name)
    try:
        yield
    finally:
        seen.append("out of " + name)


def effects():
    return [seen, kept, counts, sorted(total), rng.getstate()[2], net.calls, net.last,
            net.steps, net.scale, net.scale.grad]  # fmt: skip
"""
CALLS = 3
_SECOND = (
    "x[0]", "x", "x * 2", "x[1:]", "torch.arange({c}) - 1", "torch.arange({c}) / 2 - 1",
    "torch.tensor(1.5) - call", "x.t()", "x.view(-1)[1:]", "(x > 0).float()",
)  # fmt: skip


def inputs(rng: random.Random) -> str:
    """A function of the number of a call, which gives its arguments: exact numbers of a few sizes,
    of which a later call may bring others; the second may share the memory of the first."""
    rows, columns = rng.randint(1, 4), rng.randint(1, 4)
    later = [rows, rows, rows + rng.choice((0, 0, 1))]
    numbers = [rng.randint(0, 3) for _ in range(CALLS)]
    grad = ".requires_grad_()" if rng.random() < 0.15 else ""
    y = rng.choice(_SECOND).format(c=columns)
    return f"""
def inputs(call):
    rows, k = {later}[call], {numbers}[call]
    x = ((torch.arange(rows * {columns}) * 5 + call * 7) % 13 - 6).reshape(rows, {columns}) / 2
    y = {y}
    return x{grad}, y, k
"""
