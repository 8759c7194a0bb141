"""Recomputing values that a sum over columns and a normalisation of rows share.

The two need different loops, one by rows and one by columns, so that shared values would be written
and read again, twice in the gradient of a layer norm. If the sum's loop computed them, it would
also stand between the two passes over rows, which then could not share a kernel. Recomputed from
what the rows' loop reads and one number for each row, they cost only arithmetic.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Operation, Value
from compiler_core.ir.ops import ELEMENTWISE, OPS
from compiler_core.ir.origins import captured
from compiler_core.ir.text import node_text
from compiler_core.passes.recording import Pass
from compiler_core.report import Rewrite

_LAW = "reduce columns of f(x, rows of x), read elsewhere -> reduce columns of another f"
# A value in memory is written by one loop and read by the other.
_ROUND_TRIP = 2


@dataclass(frozen=True)
class RecomputeColumns(Pass):
    """Gives a sum over columns its own copy of what it shares with a normalisation of rows.
    `ops_per_byte` is the arithmetic, in adds, that takes the target as long as moving a byte."""

    ops_per_byte: float

    name = "recompute-columns"
    about = "what a sum over columns shares with a norm of rows is computed for each"

    def run(self, graph: Graph) -> tuple[Graph, list[Rewrite]]:
        return recompute(graph, self.ops_per_byte)


def recompute(graph: Graph, ops_per_byte: float) -> tuple[Graph, list[Rewrite]]:
    """The graph with these values computed twice; `graph` itself if there are none. Bodies of loops
    and branches are not changed."""
    builder, done = Builder(graph.next_id), list[Rewrite]()
    new: dict[Value, Value] = {x: x for x in graph.inputs}
    for operation in graph.operations:
        own, operands = new, tuple(new[x] for x in operation.operands)
        cone = _cone(operation, graph, ops_per_byte)
        if cone is not None:
            own = _copies(cone, new, builder)
            operands = tuple(own[x] for x in operation.operands)
        same = operands == operation.operands
        changed = operation if same else builder.like(operation, operands)
        new |= zip(operation.results, changed.results, strict=True)
        if cone is not None:
            before, after = (node_text(x.results[0]) for x in (operation, changed))
            nodes = list(captured(operation.origins))
            done.append(Rewrite("recompute-columns", _LAW, before, after, nodes))
    if not done:
        return graph, []
    return Graph.of(graph.name, graph.inputs, [new[x] for x in graph.outputs]), done


def _copies(cone: list[Operation], new: dict[Value, Value], b: Builder) -> dict[Value, Value]:
    found = dict(new)
    for operation in cone:
        copied = b.copy(operation, [found[x] for x in operation.operands])
        found |= zip(operation.results, copied.results, strict=True)
    return found


def _cone(operation: Operation, graph: Graph, ops_per_byte: float) -> list[Operation] | None:
    """What a sum over columns is computed from by arithmetic alone, in the graph's order; None if
    it is no such sum, shares nothing, or is better off with what is in memory."""
    if not _is_over(operation, columns=True):
        return None
    (summed,) = operation.operands
    inside, leaves = _walked(summed, graph)
    shared = any(_read_outside(x, inside, operation, graph) for x in inside)
    kept = _ROUND_TRIP * summed.type.dtype.bytes
    read = sum(x.type.dtype.bytes for x in leaves if x.type.elements == summed.type.elements)
    cost = sum(OPS[x.op].cost for x in inside if x.op in ELEMENTWISE)
    if not shared or read > kept or cost >= kept * ops_per_byte:
        return None
    if not any(
        _is_over(x.operation, columns=False) for leaf in leaves for x in _row_arithmetic(leaf)
    ):
        return None
    members = {x.operation for x in inside}
    return [x for x in graph.operations if x in members]


def _walked(root: Value, graph: Graph) -> tuple[set[Value], set[Value]]:
    """The elementwise operations and broadcasts that `root` is computed by, and what they read."""
    inside, leaves, waiting = set[Value](), set[Value](), [root]
    while waiting:
        value = waiting.pop()
        if value in inside or value in leaves:
            continue
        taken = value.op in ELEMENTWISE and value.type.shape == root.type.shape
        taken = (taken and value not in graph.outputs) or value.op == "broadcast_in_dim"
        (inside if taken else leaves).add(value)
        waiting += value.operands if taken else ()
    return inside, leaves


def _read_outside(value: Value, inside: set[Value], reader: Operation, graph: Graph) -> bool:
    """Whether arithmetic has another reader than the cone and the sum."""
    users = (x for x in graph.users[value] if x is not reader)
    return value.op in ELEMENTWISE and any(inside.isdisjoint(x.results) for x in users)


def _row_arithmetic(leaf: Value) -> Iterator[Value]:
    """What a number for each row is computed from by arithmetic on such numbers."""
    seen, waiting = set[Value](), [leaf]
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        yield value
        if value.op in ELEMENTWISE or OPS[value.op].free_view:
            waiting += [x for x in value.operands if x.type.elements == leaf.type.elements]


def _is_over(operation: Operation, *, columns: bool) -> bool:
    """Whether it sums, or combines otherwise, the columns of a matrix; or its rows."""
    if operation.op != "reduce" or len(operation.operands) != 1:
        return False
    shape, over = operation.operands[0].type.shape, operation["dimensions"]
    return len(shape) > len(over) > 0 and (len(shape) - 1 in over) is not columns
