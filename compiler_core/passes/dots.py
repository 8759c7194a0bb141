"""Contractions in the order that a matmul library reads: [batch, rows, k] by [batch, k, columns].

An operand in either dense order (contracted dimensions last, or right after the batch) is left
alone; any other gets a transpose, which later stages fold into strides or make a copy.
"""

from dataclasses import dataclass, replace

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Region, Value
from compiler_core.ir.sizes import at_least, product
from compiler_core.ir.types import F32, F64
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


# Elements of each product of a batch: a library is called for each.
_LEAST_BLOCK = 4096
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


def _by_leading(node: Value, b: Builder) -> Value | None:
    """One product for each index of the left operand's first dimensions, where it is contracted in
    its middle: [o, k, m] by [n, k] is a batch of o, of which all read one right operand."""
    left, right = node.operands
    if node["lhs_batch"] or len(node["lhs_contract"]) != 1 or right.type.rank != 2:
        return None
    (contract,), kept = node["lhs_contract"], node["rhs_contract"]
    # What is a transpose may be dense in another order.
    if contract in (0, left.type.rank - 1) or left.op == "transpose":
        return None
    leading = tuple(range(contract))
    over = [left.type.shape[d] for d in leading]
    if not at_least(product(left.type.shape[contract:]), _LEAST_BLOCK):
        return None
    repeated = b.broadcast_in_dim(right, (*over, *right.type.shape), (contract, contract + 1))
    contracted = tuple(contract + d for d in kept)
    return b.dot_general(
        left, repeated, batch=(leading, leading), contract=((contract,), contracted)
    )


def _sum_over_terms(node: Value, b: Builder) -> Value | None:
    """A matrix by a vector, for each of a batch, where a library would be given a copy of the
    matrices, or called for few elements: each is read once, so that a sum is no slower."""
    sides = (("lhs", node.operands[0]), ("rhs", node.operands[1]))
    counts = [x.type.rank - len(node[f"{s}_batch"]) - len(node[f"{s}_contract"]) for s, x in sides]
    floats = all(x.type.dtype is node.type.dtype in (F32, F64) for _, x in sides)
    if not node["lhs_batch"] or not node["lhs_contract"] or 0 not in counts or not floats:
        return None
    (many, matrix), (one, vector) = sides if counts[1] == 0 else sides[::-1]
    side = 0 if many == "lhs" else 1
    outside = [n for d, n in enumerate(matrix.type.shape) if d not in node[f"{many}_batch"]]
    if _operand(node, side, many, b)[0] is matrix and at_least(product(outside), _LEAST_BLOCK):
        return None
    named = {d: node[f"{many}_{kind}"][i] for kind in ("batch", "contract")
             for i, d in enumerate(node[f"{one}_{kind}"])}  # fmt: skip
    order = sorted(named, key=named.__getitem__)
    spread = b.broadcast_in_dim(
        b.transpose(vector, order), matrix.type.shape, sorted(named.values())
    )
    summed = b.reduce(b.node("multiply", matrix, spread), "add", node[f"{many}_contract"])
    left = [d for d in range(matrix.type.rank) if d not in node[f"{many}_contract"]]
    free = [d for d in left if d not in node[f"{many}_batch"]]
    return b.transpose(summed, [left.index(d) for d in (*node[f"{many}_batch"], *free)])


def _transposed_result(node: Value, b: Builder) -> Value | None:
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
TRANSPOSED_RESULT = Rule(
    "transpose-of-matmul",
    "transpose(dot_general(x, y)) -> dot_general(y, x)",
    _transposed_result,
    "no pass over the result",
    ("transpose",),
)

RULES = (
    Rule(
        "matmul-by-leading",
        "dot_general of [o, k, m] and [n, k] -> dot_general of o times [k, m] and [n, k]",
        _by_leading,
        "no copy of the left operand",
        ("dot_general",),
    ),
    Rule(
        "matmul-of-vectors",
        "dot_general(x, y) of a vector for each of a batch -> sum of x * y",
        _sum_over_terms,
        "no copy of the matrices, or no call for few elements",
        ("dot_general",),
    ),
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

    def result(node: Value, b: Builder) -> Value | None:
        once = node.operands[0].id in read_once
        return _transposed_result(node, b) if once else None

    return rewrite(graph, (*RULES, replace(TRANSPOSED_RESULT, apply=result)))
