"""Recomputing values that a sum over columns and a normalisation of rows share.

The two need different loops, one by rows and one by columns, so that shared values would be written
and read again, twice in the gradient of a layer norm. If the sum's loop computed them, it would
also stand between the two passes over rows, which then could not share a kernel. Recomputed from
what the rows' loop reads and one number for each row, they cost only arithmetic.
"""

from collections import ChainMap
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
    columns, new = _Columns(graph, ops_per_byte), {x: x for x in graph.inputs}
    for operation in graph.operations:
        cone = columns.cone(operation)
        own = new if cone is None else _copies(cone, new, builder)
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


def _copies(cone: list[Operation], new: dict[Value, Value], b: Builder) -> ChainMap[Value, Value]:
    found = ChainMap({}, new)
    for operation in cone:
        copied = b.copy(operation, [found[x] for x in operation.operands])
        found.update(zip(operation.results, copied.results, strict=True))
    return found


@dataclass
class _Columns:
    """What sums over columns are computed from. Each walk ends where it costs too much, so that a
    deep program takes no longer for each of its operations than a short one."""

    graph: Graph
    ops_per_byte: float

    def __post_init__(self) -> None:
        self.outputs = frozenset(self.graph.outputs)
        self.place = {x: place for place, x in enumerate(self.graph.operations)}
        self.by_row = set[Value]()
        for operation in self.graph.operations:
            if self._is_number_of_row(operation):
                self.by_row.update(operation.results)

    def _is_number_of_row(self, operation: Operation) -> bool:
        """Whether it combines each row to a number, or is arithmetic on such numbers."""
        arithmetic = operation.op in ELEMENTWISE or OPS[operation.op].free_view
        elements = operation.results[0].type.elements
        own = (x for x in operation.operands if x.type.elements == elements)
        return (arithmetic and any(x in self.by_row for x in own)) or _is_over(
            operation, columns=False
        )

    def cone(self, operation: Operation) -> list[Operation] | None:
        """The arithmetic that computes a sum over columns, in the graph's order; None if it is no
        such sum, shares nothing, or is better off with what is in memory."""
        if not _is_over(operation, columns=True):
            return None
        (summed,) = operation.operands
        kept = _ROUND_TRIP * summed.type.dtype.bytes
        inside, leaves = self._walked(summed, kept * self.ops_per_byte)
        shared = any(self._is_read_outside(x, inside, operation) for x in inside)
        read = sum(x.type.dtype.bytes for x in leaves if x.type.elements == summed.type.elements)
        if not shared or read > kept or self.by_row.isdisjoint(leaves):
            return None
        return sorted({x.operation for x in inside}, key=self.place.__getitem__)

    def _walked(self, root: Value, most: float) -> tuple[set[Value], set[Value]]:
        """The elementwise operations and broadcasts that `root` is computed by, and what they read.
        Both are empty where the arithmetic costs `most` adds or more."""
        inside, leaves, waiting, cost = set[Value](), set[Value](), [root], 0
        while waiting:
            value = waiting.pop()
            if value in inside or value in leaves:
                continue
            taken = value.op in ELEMENTWISE and value.type.shape == root.type.shape
            taken = (taken and value not in self.outputs) or value.op == "broadcast_in_dim"
            (inside if taken else leaves).add(value)
            cost += OPS[value.op].cost if taken and value.op in ELEMENTWISE else 0
            if cost >= most:
                return set(), set()
            waiting += value.operands if taken else ()
        return inside, leaves

    def _is_read_outside(self, value: Value, inside: set[Value], reader: Operation) -> bool:
        """Whether arithmetic has another reader than the cone and the sum."""
        users = (x for x in self.graph.users[value] if x is not reader)
        return value.op in ELEMENTWISE and any(inside.isdisjoint(x.results) for x in users)


def _is_over(operation: Operation, *, columns: bool) -> bool:
    """Whether it sums, or combines otherwise, the columns of a matrix; or its rows."""
    if operation.op != "reduce" or len(operation.operands) != 1:
        return False
    shape, over = operation.operands[0].type.shape, operation["dimensions"]
    return len(shape) > len(over) > 0 and (len(shape) - 1 in over) is not columns
