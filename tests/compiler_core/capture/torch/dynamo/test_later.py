"""Graphs that are met in a later call, whose sizes TorchDynamo has made symbols."""

from functools import partial

import pytest
import torch

from tests.compiler_core.capture.oracle import by_numpy, captured

pytestmark = pytest.mark.cpu


def test_what_needs_the_number_of_a_size_is_run_by_torch_and_that_is_said():
    """As a queue of keys does, which is written from another place on at each call."""
    queue, pointer = torch.zeros(6, 16), torch.zeros(1, dtype=torch.long)

    def enqueue(x):
        at = int(pointer)
        queue[:, at : at + 4] = x.T
        pointer[0] = (at + 4) % 16
        return queue * 2

    result, said = captured("torch", enqueue, torch.rand(4, 6)), []
    session, runs = result.session, []
    executables = [partial(by_numpy, graph) for graph in result.graphs]
    late = lambda graph: partial(by_numpy, graph)  # noqa: E731
    session.link(executables, late, lambda *told: said.append(told))
    for call in (session.eager, session.compiled):
        given = session.prepare(result.arguments)
        runs.append([call(given).clone() for _ in range(6)])
    session.restore()
    for x, y in zip(*runs, strict=True):
        assert torch.equal(x, y)
    assert any("is run by PyTorch" in sentence for sentence, _ in said), said
