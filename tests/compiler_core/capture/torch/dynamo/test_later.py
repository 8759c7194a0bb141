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


def test_a_number_that_became_a_symbol_is_given_to_the_graph_that_takes_it():
    count = torch.zeros(1, dtype=torch.long)

    def scaled(x):
        turn = int(count.add_(7))
        print(end="")  # noqa: T201  it breaks the graph
        y = x * turn
        y[y < 0] = 5.0  # a constant, whose value is read
        return y

    result = captured("torch", scaled, torch.ones(3))
    session, late = result.session, []

    def by_oracle(graph):
        late.append([str(each.type) for each in graph.graph.inputs])
        return partial(by_numpy, graph)

    session.link([partial(by_numpy, graph) for graph in result.graphs], by_oracle)
    given = session.prepare(result.arguments)
    found = [session.compiled(given).tolist() for _ in range(3)]
    session.restore()
    assert late == [["f32[3]", "i64[]"]]
    assert found == [[7 * turn] * 3 for turn in (1, 2, 3)]
