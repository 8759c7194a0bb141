"""Contractions in the order that a matmul library reads: [batch, rows, k] by [batch, k, columns].

An operand in either dense order (contracted dimensions last, or right after the batch) is left
alone; any other gets a transpose, which later stages fold into strides or make a copy.
"""

from dataclasses import dataclass, replace
from functools import partial

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Region, Value
from compiler_core.passes import middles, views
from compiler_core.passes.recording import Pass
from compiler_core.report import Rewrite
from compiler_core.rewrite.engine import Rule, rewrite


def _in_order(node: Value, b: Builder) -> Value | None:
    left, lhs_dims = _operand(node, 0, "lhs", b)
    right, rhs_dims = _operand(node, 1, "rhs", b)
    if left is node.operands[0] and right is node.operands[1]:
        return None
    return b.dot_general(
        left, right, batch=(lhs_dims[0], rhs_dims[0]), contract=(lhs_dims[1], rhs_dims[1])
    )


Dims = tuple[tuple[int, ...], tuple[int, ...]]


def _operand(dot: Value, side: int, prefix: str, b: Builder) -> tuple[Value, Dims]:
    """The operand in a dense order, with its batch and contracted dimensions."""
    x = dot.operands[side]
    batch, contract = dot[f"{prefix}_batch"], dot[f"{prefix}_contract"]
    free = tuple(i for i in range(x.type.rank) if i not in (*batch, *contract))
    dense = tuple(range(x.type.rank))
    if dense in ((*batch, *free, *contract), (*batch, *contract, *free)):
        return x, (batch, contract)
    count = len(batch)
    moved = b.transpose(x, (*batch, *free, *contract))
    return moved, (dense[:count], dense[count + len(free) :])


def _transposed_result(node: Value, b: Builder) -> Value | None:
    """Of a product without a batch."""
    if node.operands[0].op != "dot_general":
        return None
    dot = node.operands[0]
    rows = dot.operands[0].type.rank - len(dot["lhs_contract"])
    columns = dot.type.rank - rows
    swapped = (*range(rows, rows + columns), *range(rows))
    if dot["lhs_batch"] or node["permutation"] != swapped:
        return None
    lhs, rhs = dot.operands
    return b.dot_general(rhs, lhs, contract=(dot["rhs_contract"], dot["lhs_contract"]))


# Only where nothing else reads the product: it would be computed twice.
SWAPPED = Rule(
    "transpose-of-matmuls",
    "transpose(dot_general(x, y)) -> dot_general(y, x) for each of a batch",
    partial(middles.swapped, read_once=lambda _: True),
    "no pass over the result",
    ("transpose",),
)
TRANSPOSED_RESULT = Rule(
    "transpose-of-matmul",
    "transpose(dot_general(x, y)) -> dot_general(y, x)",
    _transposed_result,
    "no pass over the result",
    ("transpose",),
)

RULES = (
    *middles.RULES,
    Rule(
        "matmul-order",
        "dot_general(x, y) -> dot_general of [batch, rows, k] and [batch, columns, k]",
        _in_order,
        "the transpose is free where the library reads it through strides",
        ("dot_general",),
    ),
)


def _read_once(region: Region) -> set[int]:
    """The ids of the values with one reader, those of nested regions too."""
    found = {n.id for n, users in region.users.items() if len(users) == 1}
    found -= {n.id for n in region.outputs}
    return found.union(*(_read_once(r) for o in region.operations for r in o.regions))


@dataclass(frozen=True)
class OrderMatmuls(Pass):
    """Contractions get the dimension order that a library reads without a copy."""

    name = "order-matmuls"
    about = "contractions in the order that a matmul library reads"
    needed = "no product reads dimensions in any order: it says in which"

    def run(self, graph: Graph) -> tuple[Graph, list[Rewrite]]:
        return order_matmuls(graph)


def order_matmuls(graph: Graph) -> tuple[Graph, list[Rewrite]]:
    """The graph with the rules of this file applied. A result is transposed only where one
    operation reads it: others would need the transpose too."""
    # A rewritten value keeps its id, so an id stands for the value throughout the pass.
    read_once = _read_once(graph)

    def once(value: Value) -> bool:
        # What a rule has made is read where it was made.
        return value.id in read_once or value.id >= graph.next_id

    def result(node: Value, b: Builder) -> Value | None:
        return _transposed_result(node, b) if once(node.operands[0]) else None

    each = replace(SWAPPED, apply=partial(middles.swapped, read_once=once))
    plain = (r for r in views.RULES if r.name in ("transpose-twice", "view-of-nothing"))
    return rewrite(graph, (*RULES, replace(TRANSPOSED_RESULT, apply=result), each, *plain))
