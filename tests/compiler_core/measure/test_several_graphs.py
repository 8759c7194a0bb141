"""What a program of several graphs starts from at each timed call."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from compiler_core import capture
from compiler_core.measure import run
from compiler_core.measure.runnable import eager, traced
from compiler_core.snippet.program import FoundProgram

pytestmark = pytest.mark.cpu

X = torch.linspace(0.5, 1, 8)
# The largest value that each call of the program met, the latest last.
SEEN: list[float] = []


@torch.compiler.disable
def met(x: torch.Tensor) -> None:
    """Breaks the graph."""
    SEEN.append(x.detach().max().item())


def measured(fn: Callable[..., Any]) -> run.Measured:
    captured = capture.capture(FoundProgram("fn", "torch", 1, fn, (X,)))
    assert captured.session is not None
    SEEN.clear()
    own = {"eager": eager(captured, "torch"), "tracer": traced(captured.session)}
    return run.measure(own, captured, budget_s=0.02)


def doubles(x):
    x.mul_(2)
    met(x)
    return x + 1


def test_inputs_that_it_writes_to_are_put_back_before_each():
    found = measured(doubles)
    assert len(SEEN) > 2 * 20 and max(SEEN) < 20
    assert "given its inputs anew" in found.notes[-1]


class Grows(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("kept", torch.ones(8))

    def forward(self, x):
        self.kept.mul_(1e20)
        met(self.kept)
        return x + self.kept


def test_what_it_keeps_goes_on_and_it_is_said_where_that_overflows():
    model = Grows()
    found = measured(model)
    assert max(SEEN) == float("inf") and torch.equal(model.kept, torch.ones(8))
    assert "goes on from the parameters" in found.notes[-1] and "overflow" in found.notes[-1]
