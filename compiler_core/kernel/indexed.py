"""Operations that read where a value says: gather, dynamic_slice, dynamic_update_slice.

What they read stays where it is; the index becomes a term of the access, computed in the same
kernel. Out of bounds they mean what StableHLO says: the window is moved inside (clamped).
"""

from collections.abc import Callable, Sequence

from compiler_core.ir.graph import Value
from compiler_core.ir.types import I32, I64
from compiler_core.kernel import affine
from compiler_core.kernel.affine import Index
from compiler_core.kernel.intervals import interval
from compiler_core.kernel.kernel import Affine, Compute, Const, Indirect, Policy
from compiler_core.kernel.point import Point

Rule = Callable[[Point, Value, Index], str]


def gather(point: Point, node: Value, index: Index) -> str:
    """Attributes as in StableHLO: batch dimensions of the result choose a start in the second
    operand, offset dimensions walk the window from there."""
    operand, starts = node.operands
    offset_dims, window = node["offset_dims"], _window(node, index)
    batch = [part for d, part in enumerate(index) if d not in offset_dims]
    for number, d in enumerate(node["start_index_map"]):
        limit = operand.type.sizes[d] - node["slice_sizes"][d]
        start = position(point, node, starts, _component(node, batch, number), limit)
        window[d] = affine.add(window[d], start)
    vector = node["index_vector_dim"]
    pairs = zip(node["operand_batching_dims"], node["start_indices_batching_dims"], strict=True)
    for d, of_starts in pairs:
        window[d] = batch[of_starts - (of_starts > vector)]
    return point.value(operand, tuple(window))


def _window(node: Value, index: Index) -> list[Affine]:
    """The walk within the window, in each dimension of what is read."""
    away = {*node["collapsed_slice_dims"], *node["operand_batching_dims"]}
    walked = iter([index[d] for d in node["offset_dims"]])
    rank = node.operands[0].type.rank
    return [affine.ZERO if d in away else next(walked) for d in range(rank)]


def _component(node: Value, batch: Sequence[Affine], number: int) -> Index:
    """Where the start's component `number` stands for one point of the batch."""
    at, vector = list(batch), node["index_vector_dim"]
    if vector < node.operands[1].type.rank:
        at.insert(vector, Affine((), number))
    return tuple(at)


def dynamic_slice(point: Point, node: Value, index: Index) -> str:
    operand, *starts = node.operands
    moved = _starts(point, node, starts, node.type.sizes)
    return point.value(operand, tuple(map(affine.add, index, moved)))


def dynamic_update_slice(point: Point, node: Value, index: Index) -> str:
    operand, update, *starts = node.operands
    moved = _starts(point, node, starts, update.type.sizes)
    return point.piece(node, update, moved, index, point.value(operand, index))


def _starts(
    point: Point, node: Value, starts: Sequence[Value], sizes: Sequence[int]
) -> tuple[Affine, ...]:
    whole = node.operands[0].type.sizes
    return tuple(
        position(point, node, start, (), extent - size)
        for start, extent, size in zip(starts, whole, sizes, strict=True)
    )


RULES: dict[str, Rule] = {
    "gather": gather,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
}


def position(point: Point, node: Value, source: Value, at: Index, limit: int) -> Affine:
    """The element of `source` at `at` as an index from 0 to `limit`."""
    if limit <= 0:
        return affine.ZERO
    name = point.value(source, at)
    held = interval(name, point.definition, point.extents)
    proved = held is not None and held[0] >= 0 and held[1] <= limit
    policy: Policy = "in range" if proved else "wrapped" if _wraps(point, name) else "clamped"
    if not proved:
        name = _clamped(point, node, name, source, limit)
    elif held is not None and held[0] == held[1]:
        return Affine((), held[0])
    name = _as_index(point, node, name)
    point.extents[name] = limit + 1
    return Affine(indirect=(Indirect(name, 1, policy),))


def _clamped(point: Point, node: Value, name: str, source: Value, limit: int) -> str:
    dtype = source.type.dtype
    if dtype.bits < I32.bits:  # `limit` may be too large for it
        dtype, name = I32, point.compute(node, I32, "convert", (name,))
    low, high = point.constant(dtype, 0), point.constant(dtype, limit)
    return point.compute(node, dtype, "clamp", (low, name, high))


def _as_index(point: Point, node: Value, name: str) -> str:
    """As narrow an integer as positions in the operand need."""
    d = point.definition(name)
    wanted = I32 if node.operands[0].type.numel < 2**31 else I64
    if d is not None and d.dtype is wanted:
        return name
    return point.compute(node, wanted, "convert", (name,))


def _wraps(point: Point, name: str) -> bool:
    """Whether a value is select(i < 0, i + n, i), converted or not."""
    d = point.definition(name)
    while isinstance(d, Compute) and d.op == "convert":
        d = point.definition(d.args[0])
    if not (isinstance(d, Compute) and d.op == "select"):
        return False
    test = point.definition(d.args[0])
    if not (isinstance(test, Compute) and test.direction == "LT" and test.args[0] == d.args[2]):
        return False
    zero = point.definition(test.args[1])
    return isinstance(zero, Const) and zero.value == 0
