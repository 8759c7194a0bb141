"""Contractions in the order that a matmul library reads: [batch, rows, k] by [batch, k, columns].

An operand in either dense order (contracted dimensions last, or right after the batch) is left
alone; any other gets a transpose, which later stages fold into strides or make a copy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Region, Value
from compiler_core.ir.sizes import Dim, at_least, product
from compiler_core.ir.types import BF16, F16, F32, F64
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


# Elements of each product of a batch: a library is called for each.
_LEAST_BLOCK = 4096
# Elements of a matrix that is multiplied with one vector, from which on libraries, their threads
# and what they do about caches are asked.
_MOST_SUMMED = 1 << 16
_SIXTEEN = (BF16, F16)
_FLOATS = (F32, F64, *_SIXTEEN)
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


def _sum_over_terms(node: Value, b: Builder) -> Value | None:
    """A matrix by a vector: each element is read once, so that a sum is no slower. For each of a
    batch, where a library would be given a copy of the matrices, or called for few elements; else
    of a small one, as every step of a loop may have: a tile of one column is mostly empty; or of
    16-bit floats, of which libraries convert or multiply one by one what has no tile's rows."""
    sides = _side(node, 0, "lhs"), _side(node, 1, "rhs")
    floats = all(s.x.type.dtype is node.type.dtype in _FLOATS for s in sides)
    vectors = [s for s in sides if s.is_vector]
    if not node["lhs_contract"] or not vectors or not floats:
        return None
    vector = vectors[-1]
    matrix = sides[1 - vector.number]
    alone = _is_small(matrix.x.type.shape) or node.type.dtype in _SIXTEEN
    if not (_is_copied(node, matrix, b) if matrix.batch else alone):
        return None
    terms = b.node("multiply", *(_upcast(x, b) for x in (matrix.x, _spread(vector, matrix, b))))
    summed = b.convert(b.reduce(terms, "add", matrix.contract), node.type.dtype)
    left = [d for d in range(matrix.x.type.rank) if d not in matrix.contract]
    ordered = b.transpose(summed, [left.index(d) for d in (*matrix.batch, *matrix.free)])
    return b.reshape(ordered, node.type.shape)


@dataclass(frozen=True)
class _Side:
    """An operand of a product, with its dimensions by kind."""

    number: int
    name: str
    x: Value
    batch: tuple[int, ...]
    contract: tuple[int, ...]
    free: tuple[int, ...]

    @property
    def is_vector(self) -> bool:
        """Whether it has one row; of a batch, whether it has no dimension for rows."""
        return not self.free or (
            not self.batch and all(self.x.type.shape[d] == 1 for d in self.free)
        )


def _side(dot: Value, number: int, name: str) -> _Side:
    batch, contract = dot[f"{name}_batch"], dot[f"{name}_contract"]
    x = dot.operands[number]
    free = tuple(d for d in range(x.type.rank) if d not in (*batch, *contract))
    return _Side(number, name, x, tuple(batch), tuple(contract), free)


def _is_copied(dot: Value, matrix: _Side, b: Builder) -> bool:
    outside = [n for d, n in enumerate(matrix.x.type.shape) if d not in matrix.batch]
    in_place = _operand(dot, matrix.number, matrix.name, b)[0] is matrix.x
    return not (in_place and at_least(product(outside), _LEAST_BLOCK))


def _is_small(shape: Sequence[Dim]) -> bool:
    return all(isinstance(n, int) for n in shape) and not at_least(product(shape), _MOST_SUMMED)


def _upcast(x: Value, b: Builder) -> Value:
    """Products of 16-bit floats are added in f32, and rounded once."""
    return b.convert(x, F32) if x.type.dtype in _SIXTEEN else x


def _spread(vector: _Side, matrix: _Side, b: Builder) -> Value:
    """The vector over the shape of the matrix."""
    pairs = zip((*vector.batch, *vector.contract), (*matrix.batch, *matrix.contract), strict=True)
    to = dict(pairs)
    kept = sorted(to)
    flat = b.reshape(vector.x, [vector.x.type.shape[d] for d in kept])
    order = sorted(range(len(kept)), key=lambda i: to[kept[i]])
    return b.broadcast_in_dim(b.transpose(flat, order), matrix.x.type.shape, sorted(to.values()))


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
        "matmul-of-vectors",
        "dot_general(x, y) of a matrix and a vector -> sum of x * y",
        _sum_over_terms,
        "no copy of the matrices, no call for few elements, no tile of one column",
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

    def once(value: Value) -> bool:
        # What a rule has made is read where it was made.
        return value.id in read_once or value.id >= graph.next_id

    def result(node: Value, b: Builder) -> Value | None:
        return _transposed_result(node, b) if once(node.operands[0]) else None

    each = replace(SWAPPED, apply=partial(middles.swapped, read_once=once))
    plain = (r for r in views.RULES if r.name in ("transpose-twice", "view-of-nothing"))
    return rewrite(graph, (*RULES, replace(TRANSPOSED_RESULT, apply=result), each, *plain))
