"""Rewriting what StableHLO has no operation for into operations that it has.

StableHLO's gather clamps indices and its scatter drops updates out of bounds; the other policies
are expressed by operations before or after them.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Operation, Value
from compiler_core.ir.sizes import number
from compiler_core.ir.types import BOOL, DType
from compiler_core.ir.windows import Windows, windows_of

# Ids above those of any graph, and how many of them each operation that is rewritten has.
_FIRST_ID, _IDS = 2 * 10**9, 64


def legal(operation: Operation) -> Sequence[Operation]:
    """Operations that StableHLO has, with the meaning of `operation`; the last one has its
    results."""
    rule = _RULES.get((operation.op, dict(operation.attrs).get("out_of_bounds", "")))
    return [operation] if rule is None else rule(operation)


def _builder(operation: Operation) -> Builder:
    return Builder(_FIRST_ID + operation.id * _IDS)


def _chain(last: Operation, known: Sequence[Value]) -> list[Operation]:
    """All operations after `last` up to the values that are there already."""
    found: dict[Operation, None] = {}

    def visit(operation: Operation) -> None:
        for operand in operation.operands:
            if operand not in known and operand.operation not in found:
                visit(operand.operation)
        found[operation] = None

    visit(last)
    return list(found)


def _vector(b: Builder, w: Windows, indices: Value, numbers: Sequence[int]) -> Value:
    """The numbers along the index vectors, for each of the indices."""
    shape, dtype = indices.type.sizes, indices.type.dtype
    if w.vector_dim == len(shape):
        return b.scalar(numbers[0], dtype, shape)
    parts = [b.scalar(n, dtype, (1,)) for n in numbers]
    vector = parts[0] if len(parts) == 1 else b.node("concatenate", *parts, dimension=0)
    return b.broadcast_in_dim(vector, shape, (w.vector_dim,))


def _lasts(operation: Operation, w: Windows) -> list[int]:
    """The greatest start in bounds, for each component of an index vector."""
    shape = operation.operands[0].type.sizes
    return [max(0, shape[d] - number(w.sizes[d])) for d in w.starts]


def _with_indices(operation: Operation, indices: Value) -> list[Operation]:
    operands = list(operation.operands)
    operands[1] = indices
    changed = replace(operation, operands=tuple(operands))
    return _chain(changed, operation.operands)


def _wrapped(operation: Operation) -> list[Operation]:
    b, w, indices = _builder(operation), windows_of(operation), operation.operands[1]
    shape = operation.operands[0].type.sizes
    if not w.starts:
        return [operation]
    sizes = _vector(b, w, indices, [shape[d] for d in w.starts])
    zero = b.scalar(0, indices.type.dtype, indices.type.sizes)
    moved = b.node("add", indices, sizes)
    return _with_indices(
        operation, b.node("select", b.compare(indices, zero, "LT"), moved, indices)
    )


def _clamped(operation: Operation) -> list[Operation]:
    b, w, indices = _builder(operation), windows_of(operation), operation.operands[1]
    if not w.starts:
        return [operation]
    last = _vector(b, w, indices, _lasts(operation, w))
    zero = b.scalar(0, indices.type.dtype, indices.type.sizes)
    return _with_indices(operation, b.node("clamp", zero, indices, last))


def _masked(operation: Operation) -> list[Operation]:
    """The gather's result where the window is in bounds, the fill value elsewhere."""
    b, w, indices = _builder(operation), windows_of(operation), operation.operands[1]
    result = operation.result
    if not w.starts:
        return [operation]
    zero = b.scalar(0, indices.type.dtype, indices.type.sizes)
    last = _vector(b, w, indices, _lasts(operation, w))
    inside = b.node("and", b.compare(indices, zero, "GE"), b.compare(indices, last, "LE"))
    if w.vector_dim < indices.type.rank:
        inside = b.reduce(inside, "and", (w.vector_dim,))
    rank = result.type.rank
    everywhere = b.broadcast_in_dim(inside, result.type.sizes, w.counting(rank))
    (found,) = b.operation(
        "gather", operation.operands, shape=result.type.sizes, **dict(operation.attrs)
    )
    fill = b.scalar(
        _number(operation["fill"], result.type.dtype), result.type.dtype, result.type.sizes
    )
    chosen = b.node("select", everywhere, found, fill).operation
    return _chain(replace(chosen, id=operation.id), operation.operands)


def _number(value: float | int | bool, dtype: DType) -> float | int | bool:
    return float(value) if dtype.is_float else bool(value) if dtype is BOOL else int(value)


_RULES: dict[tuple[str, str], Callable[[Operation], Sequence[Operation]]] = {
    ("gather", "wrap"): _wrapped,
    ("gather", "mask"): _masked,
    ("scatter", "wrap"): _wrapped,
    ("scatter", "clamp"): _clamped,
}
