"""Lowering of operations that read at computed indices: gather, dynamic_slice,
dynamic_update_slice, and scatters that write each element at most once.

The operand stays in memory; the computed index becomes a term of the access, in the same kernel,
and is kept in bounds as the operation prescribes.
"""

from collections.abc import Callable, Sequence
from functools import partial

from compiler_core.ir.graph import Value
from compiler_core.ir.ranges import range_of
from compiler_core.ir.sizes import Dim, Size, at_most, is_proved, larger
from compiler_core.ir.types import BOOL, I32, I64, DType
from compiler_core.ir.windows import Windows, windows_of
from compiler_core.kernel import affine
from compiler_core.kernel.access import Affine, Indirect, Policy
from compiler_core.kernel.affine import Index
from compiler_core.kernel.definitions import Definitions
from compiler_core.kernel.intervals import Interval, interval
from compiler_core.kernel.kernel import Compute
from compiler_core.kernel.pieces import piece
from compiler_core.kernel.point import Asking
from compiler_core.kernel.straight import straight

Rule = Callable[[Definitions, Value, Index], Asking[str]]
# An index into the operand, and the bool value that says where it is in bounds, None if it always
# is.
Place = tuple[Index, str | None]


def gather(point: Definitions, node: Value, index: Index) -> Asking[str]:
    """The element at `index` of a gather: the operand's at the computed place, or `fill` where that
    is out of bounds and the policy is a mask."""
    operand = node.operands[0]
    fill = point.constant(node.type.dtype, node["fill"] or 0)
    if 0 in operand.type.shape:
        return fill  # there is nothing to read
    at, inside = yield from place(point, node, index)
    value = yield operand, at
    return value if inside is None else point.choose(node, inside, value, fill)


def place(point: Definitions, node: Value, index: Index) -> Asking[Place]:
    """Where the element at `index` of a gather's result, or of a scatter's updates, lies in the
    operand, and a mask of what is in bounds."""
    w, (operand, indices, *_) = windows_of(node.operation), node.operands
    counting = w.counting(len(index))
    at: list[Affine] = []
    inside: str | None = None
    for d, size in enumerate(operand.type.shape):
        part = affine.ZERO
        if d in w.batching:
            part = index[w.counted_by(w.indices_batching[w.batching.index(d)], len(index))]
        if d in w.inside:
            part = index[w.window_dims[w.inside.index(d)]]
        if d in w.starts:
            source = _component(w, [index[c] for c in counting], w.starts.index(d), indices)
            start, holds = yield from _start(point, node, indices, source, size, size - w.sizes[d])
            part, inside = affine.add(part, start), point.both(node, inside, holds)
        at.append(part)
    return tuple(at), inside


def _component(w: Windows, counted: list[Affine], number: int, indices: Value) -> Index:
    """The index of component `number` of a start vector in the indices."""
    if w.vector_dim < indices.type.rank:
        counted.insert(w.vector_dim, Affine((), number))
    return tuple(counted)


def dynamic_slice(point: Definitions, node: Value, index: Index) -> Asking[str]:
    """The element at `index` of a slice whose starts are values, clamped so that it is in
    bounds."""
    operand, *starts = node.operands
    moved = yield from _starts(point, node, starts, node.type.shape)
    return (yield operand, tuple(map(affine.add, index, moved)))


def dynamic_update_slice(point: Definitions, node: Value, index: Index) -> Asking[str]:
    """The element at `index` of an operand with a box replaced: the update's inside of the box."""
    operand, update, *starts = node.operands
    moved = yield from _starts(point, node, starts, update.type.shape)
    old = yield operand, index
    return (yield from piece(point, node, update, moved, index, old))


def _starts(
    point: Definitions, node: Value, starts: Sequence[Value], sizes: Sequence[Dim]
) -> Asking[tuple[Affine, ...]]:
    whole, found = node.operands[0].type.shape, list[Affine]()
    for start, extent, size in zip(starts, whole, sizes, strict=True):
        at, _ = yield from _start(point, node, start, (), extent, extent - size)
        found.append(at)
    return tuple(found)


# -- scatter


def is_scattered(node: Value) -> bool:
    """Whether several updates of a scatter may hit one element, so that it becomes a loop over the
    updates that modifies memory. Otherwise every dimension that counts updates is one of the
    operand's, or has size 1, and each element looks up its update."""
    return node.op == "scatter" and not _writes_once(node)


def _writes_once(node: Value) -> bool:
    w, indices = windows_of(node.operation), node.operands[1].type
    counts = [d for d in range(indices.rank) if d != w.vector_dim]
    return all(d in w.indices_batching or indices.shape[d] == 1 for d in counts)


def scatter(point: Definitions, node: Value, index: Index) -> Asking[str]:
    """The element at `index` of a scatter that writes each element at most once: its update if it
    has one."""
    operand, indices, updates = node.operands
    w, rank = windows_of(node.operation), updates.type.rank
    source, inside = [affine.ZERO] * rank, None
    for d, of_indices in zip(w.batching, w.indices_batching, strict=True):
        source[w.counted_by(of_indices, rank)] = index[d]
    counted = [source[c] for c in w.counting(rank)]
    for d, size in enumerate(operand.type.shape):
        part = index[d]
        if d in w.starts:
            at = _component(w, list(counted), w.starts.index(d), indices)
            start, holds = yield from _start(point, node, indices, at, size, size - w.sizes[d])
            part, inside = (
                affine.add(part, affine.scale(start, -1)),
                point.both(node, inside, holds),
            )
        if d in w.inside:
            source[w.window_dims[w.inside.index(d)]] = part
        if d not in w.batching:
            inside = point.both(node, inside, point.inside(node, part, w.sizes[d]))
    old = yield operand, index
    with point.under(node, inside):
        update = yield updates, tuple(source)
    new = update
    if node["combine"] != "set":
        new = point.compute(node, node.type.dtype, node["combine"], (old, update))
    return new if inside is None else point.choose(node, inside, new, old)


RULES: dict[str, Rule] = {
    "gather": gather,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
    "scatter": scatter,
}


# -- one index


def _start(
    point: Definitions, node: Value, source: Value, at: Index, size: Dim, limit: Dim
) -> Asking[tuple[Affine, str | None]]:
    """The element of `source` at `at` as an index in 0 .. `limit` into a dimension of `size`; and
    whether it was in bounds, for operations that skip the others."""
    rule = dict(node.attrs).get("out_of_bounds", "clamp")
    masked = rule == "mask" or (rule == "wrap" and node.op == "scatter")
    if not masked and is_proved(lambda: limit <= 0):
        return affine.ZERO, None
    name, dtype = _before_widening(point, (yield source, at), source.type.dtype)
    if dtype.bits < I32.bits:  # `limit` may be too large for it
        name, dtype = point.compute(node, I32, "convert", (name,)), I32
    bounds = _bounds(point, name, source)
    if bounds is not None and bounds[0] >= 0 and is_proved(lambda: bounds[1] <= limit):
        along = straight(name, point.definition, point.extents)
        if bounds[0] == bounds[1]:
            along = Affine((), bounds[0])
        return along or _term(point, node, name, bounds[1], "in range"), None
    integer, policy = partial(_integer, point, node, dtype), _POLICIES[rule]
    if rule == "wrap" and dtype.kind == "int":
        negative = point.compute(node, BOOL, "compare", (name, integer(0)), "LT")
        turned = point.compute(node, dtype, "add", (name, integer(size)))
        name = point.compute(node, dtype, "select", (negative, turned, name))
    inside = None
    if masked:
        inside = point.both(
            node,
            point.compute(node, BOOL, "compare", (name, integer(0)), "GE"),
            point.compute(node, BOOL, "compare", (name, integer(limit)), "LE"),
        )
    within = integer(0), name, integer(larger(limit, 0))
    name = point.compute(node, dtype, "clamp", within)
    return _term(point, node, name, limit, policy), inside


def _bounds(point: Definitions, name: str, source: Value) -> Interval | None:
    """The least and the greatest index, by what this kernel computes or by what others have."""
    own, before = interval(name, point.definition, point.extents), range_of(source)
    if own is None or before is None:
        return own
    return max(own[0], int(before[0])), min(own[1], int(before[1]))


def _before_widening(point: Definitions, name: str, dtype: DType) -> tuple[str, DType]:
    """An integer of 32 bits that was widened, as it was: it is the same number, and vectors of it
    are twice as wide."""
    d = point.definition(name)
    if isinstance(d, Compute) and d.op == "convert" and dtype is I64:
        (narrow,) = d.args
        before = point.definition(narrow)
        if before is not None and before.dtype is I32:
            return narrow, I32
    return name, dtype


# "in_bounds" is a promise, which a clamp makes true at no cost.
_POLICIES: dict[str, Policy] = {
    "in_bounds": "clamped",
    "clamp": "clamped",
    "mask": "masked",
    "wrap": "wrapped",
}


def _integer(point: Definitions, node: Value, dtype: DType, value: Dim) -> str:
    if isinstance(value, Size):
        return point.index(node, dtype, Affine((), value))
    return point.constant(dtype, value)


def _term(point: Definitions, node: Value, name: str, most: Dim, policy: Policy) -> Affine:
    """The value as an index term, in the narrowest integer type that holds positions in the
    operand."""
    wanted = I32 if at_most(node.operands[0].type.elements, 2**31 - 1) else I64
    d = point.definition(name)
    if d is None or d.dtype is not wanted:
        name = point.compute(node, wanted, "convert", (name,))
    point.extents[name] = larger(most, 0) + 1
    return Affine(indirect=(Indirect(name, 1, policy),))
