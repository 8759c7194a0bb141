"""Kernel launches, bytes moved and arithmetic operations of a program: of eager execution, and of
the core's plan.

In eager execution every captured operation is one launch that reads its operands and writes its
results once. Views (reshape, slice, broadcast) are free, and a read of a view reads at most the
elements of its base. This is a lower bound: JAX launches views too, and both frameworks may copy a
view that is not dense.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod

from compiler_core.capture.captured import Captured
from compiler_core.ir import ops
from compiler_core.ir.control import trips
from compiler_core.ir.convolution import convolution_of
from compiler_core.ir.graph import Graph, Operation, Region, Value
from compiler_core.ir.origins import captured
from compiler_core.ir.sizes import hint
from compiler_core.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class Traffic:
    """`launches`, `bytes` moved (read and written) and `flops`, all of one call."""

    launches: int
    bytes: int
    flops: int


def eager(captured: Captured) -> Traffic:
    """The traffic of eager execution of the captured graphs, before any pass."""
    return of_graph(captured.graph)


def core(plan: Plan) -> Traffic:
    """The traffic of the launches in the core's plan."""
    return Traffic(
        sum(step.launches for step in plan.steps),
        sum(sum(step.traffic()) for step in plan.steps),
        sum(step.flops() for step in plan.steps),
    )


def needed(graph: Graph) -> int:
    """The bytes that every program for the graph must move: its inputs once (of an input that is
    only gathered from, the gathered rows) and its outputs once."""
    read = (sum(_reached(user.results[0], x) for user in graph.users[x]) for x in graph.inputs)
    needed = sum(min(x.type.bytes, size) for x, size in zip(graph.inputs, read, strict=True))
    return needed + _bytes(dict.fromkeys(graph.outputs))


def of_graph(graph: Region) -> Traffic:
    """The traffic of eager execution of a graph. A scan counts the operations of all of its
    iterations, a while those of one, and a case those of the branch that moves the most bytes."""
    inner = [_of_control(o) for o in graph.operations if o.regions]
    own = _of_operations(graph)
    return Traffic(
        own.launches + sum(t.launches for t in inner),
        own.bytes + sum(t.bytes for t in inner),
        own.flops + sum(t.flops for t in inner),
    )


def _of_control(operation: Operation) -> Traffic:
    """All steps of a scan, one step of a while, the busiest branch."""
    each = [of_graph(region) for region in operation.regions]
    if ops.OPS[operation.op].regions == "branches":
        return max(each, key=lambda t: (t.bytes, t.flops))
    times = trips(operation)
    return Traffic(
        times * sum(t.launches for t in each),
        times * sum(t.bytes for t in each),
        times * sum(t.flops for t in each),
    )


def _of_operations(graph: Region) -> Traffic:
    groups: dict[tuple[int, ...], list[Value]] = {}
    for node in graph.computed:
        if node.operation.regions:
            continue
        # A node that nothing was captured for is an operation of its own.
        groups.setdefault(captured(node.origins) or (~node.id,), []).append(node)
    launched = [nodes for nodes in groups.values() if _launches(nodes)]
    moved = sum(_moved(graph, nodes) for nodes in launched)
    return Traffic(len(launched), moved, sum(_flops(n) for nodes in launched for n in nodes))


def _launches(nodes: list[Value]) -> bool:
    """Whether an operation does more than look at memory another way or hold a number."""
    return any(_fills(n) for n in nodes)


def _fills(node: Value) -> bool:
    info = ops.OPS[node.op]
    number = info.fusion == "literal" and node.type.rank == 0
    return not info.aliases and not number


def _moved(graph: Region, nodes: list[Value]) -> int:
    inside = set(nodes)
    read: dict[Value, int] = {}
    for node in nodes:
        for operand in node.operands:
            if operand not in inside:
                base, size = _base(operand)
                read[base] = max(read.get(base, 0), min(size, _reached(node, operand)))
    results = set(graph.outputs)
    written = [
        n
        for n in nodes
        if not ops.OPS[n.op].aliases
        and (n in results or any(user.results[0] not in inside for user in graph.users[n]))
    ]
    return sum(read.values()) + _bytes(written)


def _reached(node: Value, operand: Value) -> int:
    """The most bytes of an operand that an operation reads: a gather the rows that it gives, not
    the table."""
    part = ops.OPS[node.op].reads_part and node.operands[0] is operand
    return node.type.bytes if part else operand.type.bytes


def _base(node: Value) -> tuple[Value, int]:
    """The memory that a view shows, and how much of it at most; a splat constant is none."""
    size = node.type.bytes
    while ops.OPS[node.op].aliases:
        node = node.operands[0]
        size = min(size, node.type.bytes)
    return node, 0 if node.op == "constant" else size


def _bytes(nodes: Iterable[Value]) -> int:
    return sum(n.type.bytes for n in nodes)


def _flops(node: Value) -> int:
    """Operations of eager execution; 0 for what moves elements, and for what is not known."""
    rule = FLOPS.get(node.op)
    return 0 if rule is None else rule(node)


def _of_elements(node: Value) -> int:
    """Weights as in ir/ops/."""
    return ops.OPS[node.op].cost * node.type.numel


def _of_dot(node: Value) -> int:
    """A multiply-add is two."""
    lhs = node.operands[0].type
    return 2 * node.type.numel * prod(lhs.sizes[d] for d in node["lhs_contract"])


def _of_convolution(node: Value) -> int:
    """A multiply-add is two."""
    return 2 * node.type.numel * hint(convolution_of(node.operation).terms)


def _of_reduction(node: Value) -> int:
    return node.operands[0].type.numel


FLOPS: dict[str, Callable[[Value], int]] = {
    **dict.fromkeys(ops.ELEMENTWISE, _of_elements),
    **{row.name: _of_reduction for row in ops.FAMILIES["reductions"]},
    "dot_general": _of_dot,
    "convolution": _of_convolution,
}
