"""Contractions in the order that a matmul library reads: [batch, rows, k] by [batch, k, columns].

An operand in either dense order (contracted dimensions last, or right after the batch) is left
alone; any other gets a transpose, which later stages fold into strides or make a copy.
"""

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Node
from compiler_core.rewrite.engine import Rule


def _in_order(node: Node, b: Builder) -> Node | None:
    if node.op != "dot_general":
        return None
    left, lhs_dims = _operand(node, 0, "lhs", b)
    right, rhs_dims = _operand(node, 1, "rhs", b)
    if left is node.inputs[0] and right is node.inputs[1]:
        return None
    return b.dot_general(
        left, right, batch=(lhs_dims[0], rhs_dims[0]), contract=(lhs_dims[1], rhs_dims[1])
    )


Dims = tuple[tuple[int, ...], tuple[int, ...]]


def _operand(dot: Node, side: int, prefix: str, b: Builder) -> tuple[Node, Dims]:
    """The operand in a dense order, with its batch and contracted dimensions."""
    x = dot.inputs[side]
    batch, contract = dot[f"{prefix}_batch"], dot[f"{prefix}_contract"]
    free = tuple(i for i in range(x.type.rank) if i not in (*batch, *contract))
    dense = tuple(range(x.type.rank))
    if dense in ((*batch, *free, *contract), (*batch, *contract, *free)):
        return x, (batch, contract)
    count = len(batch)
    moved = b.transpose(x, (*batch, *free, *contract))
    return moved, (dense[:count], dense[count + len(free) :])


RULES = (
    Rule(
        "matmul-order",
        "dot_general(x, y) -> dot_general of [batch, rows, k] and [batch, columns, k]",
        _in_order,
        "the transpose is free where the library reads it through strides",
    ),
)
