"""The edges of the captured graph, as they are after lowering."""

from compiler_core import report
from compiler_core.capture.edges import past_views, with_reads
from compiler_core.ir.build import Builder
from compiler_core.ir.sizes import Symbol, size
from compiler_core.ir.types import F32, TensorType


def reads(graph, count):
    nodes = [report.CapturedOp(i, f"op{i}") for i in range(count)]
    return {n.id: [(r.node, r.bytes) for r in n.reads] for n in with_reads(nodes, graph)}


def test_an_operation_reads_what_others_made_and_not_inputs_or_itself():
    b = Builder()
    x = b.parameter(TensorType(F32, (8, 16)), "x")
    with b.origin(0):
        largest = b.reduce(x, "maximum", (1,))
        y = b.node("tanh", b.node("negate", x))
    with b.origin(1):
        y = b.node("add", b.node("exponential", y), b.broadcast_in_dim(largest, (8, 16), (0,)))
    with b.origin(2):
        y = b.node("tanh", y)
    # Of what 1 reads of 0 the larger value counts.
    assert reads(b.graph("g", [y]), 3) == {0: [], 1: [(0, 512)], 2: [(1, 512)]}


def test_bytes_are_those_of_the_call_where_a_size_is_a_symbol():
    b = Builder()
    x = b.parameter(TensorType(F32, (size(Symbol("B", hint=32)), 4)), "x")
    with b.origin(0):
        y = b.node("tanh", x)
    with b.origin(1):
        y = b.node("negate", y)
    assert reads(b.graph("g", [y]), 2)[1] == [(0, 512)]


def test_a_view_moves_nothing_and_whoever_reads_it_reads_what_was_computed():
    b = Builder()
    x = b.parameter(TensorType(F32, (8, 16)), "x")
    with b.origin(0):
        of_input = b.transpose(x, (1, 0))
    with b.origin(1):
        again = b.transpose(of_input, (1, 0))
    with b.origin(2):
        y = b.node("tanh", again)
    with b.origin(3):
        of_computed = b.transpose(y, (1, 0))
    with b.origin(4):
        y = b.node("negate", of_computed)
    found = reads(b.graph("g", [y]), 5)
    assert found == {0: [], 1: [(0, 0)], 2: [(1, 0)], 3: [(2, 0)], 4: [(3, 512)]}


def test_past_views_who_reads_a_view_reads_what_was_computed():
    reads = {0: {}, 1: {0: 0}, 2: {1: 0}, 3: {0: 8, 2: 64}, 4: {}, 5: {4: 16, 3: 32}}
    nodes = [
        report.CapturedOp(i, f"op{i}", reads=[report.Read(*each) for each in own.items()])
        for i, own in reads.items()
    ]
    # 4 is a view of an input, which nobody computes.
    assert past_views(nodes) == [(0, 3, 64), (4, 5, 16), (3, 5, 32)]
