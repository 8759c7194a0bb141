"""Products that contract a dimension in the middle of an operand, as the channels of an image or
one of its sides. They become a batch of products, one for each index of the dimensions before it:
each reads its part of the operand in place, and writes its part of the result in place.

    out[o, b, x] = sum over c of w[o, c] * image[b, c, x]      einsum('oc,bcx->box')

As one product of matrices the image would be copied with c first or last, and its result back.
"""

from collections.abc import Callable

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim, at_least, product
from compiler_core.rewrite.engine import Rule

# The fewest elements that one product of the batch reads of its operand; or the fewest terms of its
# sums, if it has columns for a vector. A library is called for each product.
_LEAST_BLOCK, _LEAST_TERMS, _LEAST_COLUMNS = 4096, 1 << 17, 16


def _by_leading(node: Value, b: Builder) -> Value | None:
    """[o, k, m] by [n, k] is a batch of o, of which all read one matrix; on either side."""
    found = _side_with_middle(node)
    if found is None or node.operands[found].op == "transpose":
        return None  # what is a transpose may be dense in another order
    x, matrix = node.operands[found], node.operands[1 - found]
    middle, kept = _contracted(node, found), _contracted(node, 1 - found)
    if not _is_worth_it(x.type.shape[middle:], matrix.type.shape[1 - kept]):
        return None
    leading, over = tuple(range(middle)), x.type.shape[:middle]
    repeated = b.broadcast_in_dim(matrix, (*over, *matrix.type.shape), (middle, middle + 1))
    if not found:
        contract = ((middle,), (middle + kept,))
        return b.dot_general(x, repeated, batch=(leading, leading), contract=contract)
    contract = ((middle + kept,), (middle,))
    dot = b.dot_general(repeated, x, batch=(leading, leading), contract=contract)
    rest = range(middle + 1, dot.type.rank)
    return b.transpose(dot, (middle, *leading, *rest))


def _side_with_middle(node: Value) -> int | None:
    """The operand that is contracted in its middle alone, by a matrix; None if there is none."""
    if node["lhs_batch"] or len(node["lhs_contract"]) != 1:
        return None
    for side, x in enumerate(node.operands):
        is_middle = 0 < _contracted(node, side) < x.type.rank - 1
        if is_middle and node.operands[1 - side].type.rank == 2:
            return side
    return None


def _contracted(node: Value, side: int) -> int:
    (found,) = node[("lhs_contract", "rhs_contract")[side]]
    dimension: int = found
    return dimension


def _is_worth_it(block: tuple[Dim, ...], columns: Dim) -> bool:
    long = at_least(product(block[1:]), _LEAST_COLUMNS)
    terms = product((*block, columns))
    return at_least(product(block), _LEAST_BLOCK) or (long and at_least(terms, _LEAST_TERMS))


def _transposed_product(node: Value, b: Builder) -> Value | None:
    """Where the operand before a transposition is contracted in its middle, it is read in place,
    and the result is transposed."""
    if node["lhs_batch"] or len(node["lhs_contract"]) != 1:
        return None
    for side, view in enumerate(node.operands):
        matrix = node.operands[1 - side]
        if view.op != "transpose" or matrix.type.rank != 2:
            continue
        (x,), order, at = view.operands, view["permutation"], _contracted(node, side)
        middle, kept = order[at], _contracted(node, 1 - side)
        inside = 0 < middle < x.type.rank - 1
        if not inside or not _is_worth_it(x.type.shape[middle:], matrix.type.shape[1 - kept]):
            continue
        pair = ((x, middle), (matrix, kept))
        (left, first), (right, second) = pair if not side else pair[::-1]
        dot = b.dot_general(left, right, contract=((first,), (second,)))
        return b.transpose(_by_leading(dot, b) or dot, _order(order, at, middle, side))
    return None


def _order(order: tuple[int, ...], at: int, middle: int, side: int) -> list[int]:
    """Where the dimensions of a transposed operand's product are, in that of what it is of."""
    free = [d - (d > middle) for i, d in enumerate(order) if i != at]
    return [*free, len(free)] if not side else [0, *(d + 1 for d in free)]


def swapped(node: Value, b: Builder, read_once: Callable[[Value], bool]) -> Value | None:
    """For a transpose that exchanges rows and columns of a batched dot_general: the dot_general
    with its operands exchanged instead. Another transpose may stand in between. None for any other
    transpose."""
    (inner,), order = node.operands, node["permutation"]
    if inner.op == "transpose" and read_once(inner):
        order = tuple(inner["permutation"][d] for d in order)
        (inner,) = inner.operands
    if inner.op != "dot_general" or not inner["lhs_batch"] or not read_once(inner):
        return None
    lhs, rhs = inner.operands
    count, rank = len(inner["lhs_batch"]), inner.type.rank
    columns = lhs.type.rank - len(inner["lhs_contract"])
    turned = (*range(columns, rank), *range(count, columns))
    if columns in (count, rank) or order[count:] != turned:
        return None
    batch, contract = (inner[f"rhs_{x}"] for x in ("batch", "contract"))
    dot = b.dot_general(
        rhs, lhs,
        batch=(batch, inner["lhs_batch"]), contract=(contract, inner["lhs_contract"]),
    )  # fmt: skip
    return b.transpose(dot, (*order[:count], *range(count, rank)))


RULES = (
    Rule(
        "matmul-behind-transpose",
        "dot_general(transpose(x), y) -> transpose(dot_general(x, y)) over the middle of x",
        _transposed_product,
        "no copy of x",
        ("dot_general",),
    ),
    Rule(
        "matmul-by-leading",
        "dot_general of [o, k, m] and [n, k] -> dot_general of o times [k, m] and [n, k]",
        _by_leading,
        "no copy of the operand",
        ("dot_general",),
    ),
)
