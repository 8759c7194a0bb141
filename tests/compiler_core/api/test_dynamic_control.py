"""Loops and branches of torch over a batch that varies: compiled once, called with many sizes."""

import warnings

import pytest
import torch
from torch._higher_order_ops import scan, while_loop

from tests.compiler_core.api.dynamic import compiled
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("dynamo_forgotten")]

WEIGHT = torch.linspace(-1, 1, 64).reshape(8, 8)
PROGRAMS = {
    "cond": lambda x: torch.cond(
        x.sum() > 0, lambda v: torch.tanh(v @ WEIGHT), lambda v: v - v.mean(0), (x,)
    ),
    "while_loop": lambda x: while_loop(
        lambda i, v: i < 5, lambda i, v: (i + 1, torch.tanh(v @ WEIGHT)), (torch.tensor(0), x)
    )[1],
    "scan over the batch": lambda x: scan(
        lambda c, v: (torch.tanh(c + v), c * 2), torch.zeros(8), x
    )[1],
    "scan beside the batch": lambda x: scan(
        lambda c, v: (torch.tanh(c + v), c * 2), torch.zeros(x.shape[0]), x, dim=1
    )[1],
}


KEPT = ("cond", "scan over the batch")


@pytest.mark.parametrize("name", thinned(PROGRAMS, KEPT))
def test_one_compilation_serves_every_batch(name, compilations):
    fn = PROGRAMS[name]
    ours = compiled(fn)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for batch in (5, 32, 70):
            x = torch.rand(batch, 8) - 0.4
            torch.testing.assert_close(ours(x), fn(x))
    assert len(compilations) == 1
