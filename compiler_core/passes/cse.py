"""Common subexpressions: two operations that are alike, over the same operands, are one."""

from typing import Any

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Node
from compiler_core.ir.text import node_text
from compiler_core.report import Rewrite

# A library call may have effects or randomness that we do not know of.
_NEVER = frozenset({"parameter", "library_call"})


def merge_common(graph: Graph) -> tuple[Graph, list[Rewrite]]:
    """The graph with each expression once; the one that stays comes from all that it replaces."""
    builder = Builder(max((n.id for n in graph.nodes), default=-1) + 1)
    groups = _alike(graph)
    if len(groups) == len(graph.nodes):
        return graph, []
    new: dict[Node, Node] = {}
    done = []
    for first, *others in groups:
        origins = {o for n in (first, *others) for o in n.origins}
        operands = tuple(new[x] for x in first.inputs)
        made = first
        if operands != first.inputs or others:
            with builder.origin(*origins):
                made = builder.like(first, operands)
        new |= dict.fromkeys((first, *others), made)
        done += [
            Rewrite("common-subexpression", "f(x), f(x) -> f(x) once", node_text(n),
                    node_text(made), sorted(origins))
            for n in others
        ]  # fmt: skip
    outputs = [new[n] for n in graph.outputs]
    return Graph.of(graph.name, graph.inputs, outputs), done


def _alike(graph: Graph) -> list[list[Node]]:
    """The nodes in classes of equal expressions, in the order of each class's first."""
    classes: dict[Any, list[Node]] = {}
    leader: dict[Node, Node] = {}
    for node in graph.nodes:
        key: Any = node
        if node.op not in _NEVER:
            operands = tuple(leader[x].id for x in node.inputs)
            # repr tells 1 from 1.0 and True, 0.0 from -0.0.
            key = (node.op, operands, repr(node.attrs), node.type)
        found = classes.setdefault(key, [])
        found.append(node)
        leader[node] = found[0]
    return list(classes.values())
