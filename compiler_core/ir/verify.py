"""Valid in, valid out: what must hold of every graph between two passes.

1. every operand is defined before its use, and once;
2. every node's type is what the rule of its operation gives;
3. ids are unique.
A failure shows the lines around the fault.
"""

from compiler_core.errors import VerifyError
from compiler_core.ir.graph import Graph, Node
from compiler_core.ir.infer import infer
from compiler_core.ir.text import node_text

_CONTEXT = 10
# Their type is part of the node, not a consequence of its operands.
_DECLARED = frozenset({"parameter", "constant", "iota", "library_call", "get_tuple_element"})


def verify(graph: Graph, after: str = "capture") -> Graph:
    """`graph` itself. Raises VerifyError naming `after`, the stage that made it."""
    defined: dict[int, Node] = {}
    for node in graph.nodes:
        fault = _fault(node, defined)
        if fault:
            raise VerifyError(
                f"invalid graph after {after}: {fault}\n{_around(graph, node)}",
                remedy="this is a fault of the compiler core: please report it with the snippet",
            )
        defined[node.id] = node
    for output in graph.outputs:
        if defined.get(output.id) is not output:
            raise VerifyError(f"invalid graph after {after}: output {output} is not defined")
    return graph


def _fault(node: Node, defined: dict[int, Node]) -> str | None:
    if node.id in defined:
        return f"{node} is defined twice"
    for operand in node.inputs:
        if defined.get(operand.id) is not operand:
            return f"{node} uses {operand} before it is defined"
    if node.op in _DECLARED:
        return None
    # Shape, dtype and type are rule inputs that a built node keeps in its type only.
    attrs = dict(node.attrs) | {
        "shape": node.type.shape, "dtype": node.type.dtype, "type": node.type
    }  # fmt: skip
    try:
        expected = infer(node.op, tuple(x.type for x in node.inputs), attrs)
    except VerifyError as error:
        return error.message
    return None if expected == node.type else f"{node} is {node.type}, its operands give {expected}"


def _around(graph: Graph, node: Node) -> str:
    """The lines around the fault, a caret at it."""
    at = graph.nodes.index(node)
    shown = graph.nodes[max(0, at - _CONTEXT) : at + _CONTEXT + 1]
    return "\n".join(f"{'>' if n is node else ' '} {node_text(n)}" for n in shown)
