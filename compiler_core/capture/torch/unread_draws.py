"""Random numbers that a program draws and does not read. They are drawn nevertheless, since later
draws take the numbers that follow in the generator's stream."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from compiler_core.ir.graph import Graph, Operation, Value
from compiler_core.ir.library import Callee


def with_unread_draws(graph: Graph, drawn: Iterable[Value]) -> Graph:
    """The graph with each draw that is read depending on the unread draws before it, so that their
    order is kept. `drawn` are the first results of all draws, in order; unread draws after the last
    read one are left out."""
    read = set(graph.operations)
    unread, before = list[Value](), dict[Operation, list[Value]]()
    for value in drawn:
        if value.operation not in read:
            unread.append(value)
        elif unread:
            before[value.operation], unread = unread, []
    if not before:
        return graph
    new: dict[Value, Value] = {x: x for x in graph.inputs}
    needed = [x for values in before.values() for x in values]
    for old in Graph.of(graph.name, graph.inputs, (*graph.outputs, *needed)).operations:
        after = before.get(old, [])
        operation = replace(old, operands=tuple(new[x] for x in (*old.operands, *after)))
        if after:
            count = len(old.operands)
            attrs = [(k, _first(v, count) if k == "callee" else v) for k, v in old.attrs]
            operation = replace(operation, attrs=tuple(attrs))
        new |= zip(old.results, operation.results, strict=True)
    return Graph.of(graph.name, graph.inputs, [new[x] for x in graph.outputs])


def _first(callee: Callee, count: int) -> Callee:
    """The callee of the first `count` operands, whatever follows them."""

    def call(*operands: Any) -> Any:
        return callee.call(*operands[:count])

    return replace(callee, call=call)
