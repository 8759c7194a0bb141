"""What sums over columns compute again: how long finding it takes."""

from compiler_core.ir import graph as graphs
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.passes.columns import recompute


def chain_with_sums(count):
    """A chain of which the columns are summed at each step, as gradients of biases are."""
    b, sums = Builder(), []
    x = b.parameter(TensorType(F32, (64, 64)), "x")
    for _ in range(count):
        x = b.node("tanh", x)
        sums.append(b.reduce(x, "add", (0,)))
    return b.graph("chain", sums)


def test_each_sum_of_a_deep_graph_is_looked_at_a_few_steps_back(monkeypatch):
    asked = {}
    for count in (50, 400):
        graph, seen = chain_with_sums(count), []
        op = property(lambda value, seen=seen: seen.append(value) or value.operation.op)
        monkeypatch.setattr(graphs.Value, "op", op)
        recompute(graph, 8.0)
        monkeypatch.undo()
        asked[count] = len(seen)
    assert asked[400] < 12 * asked[50]
