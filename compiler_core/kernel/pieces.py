"""Lowering of concatenate and pad: loads that are masked to part of the loop."""

from collections.abc import Iterator, Sequence

from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim, is_proved
from compiler_core.ir.types import BOOL, I32
from compiler_core.kernel import affine
from compiler_core.kernel.access import Affine, Indirect
from compiler_core.kernel.affine import Index
from compiler_core.kernel.definitions import Attributed, Definitions
from compiler_core.kernel.point import Asking


def concatenate(point: Definitions, node: Value, index: Index) -> Asking[str]:
    """The element at `index` of a concatenation: a select among the operands, each loaded under its
    own mask but the last. Where the whole loop lies within one operand, that operand's element
    alone."""
    parts = list(_parts(node))
    alone = [part for part in parts if _holds(point, node, *part, index)]
    chosen: str | None = None
    for operand, starts in alone or reversed(parts):
        chosen = yield from piece(point, node, operand, starts, index, chosen)
    assert chosen is not None
    return chosen


def _parts(node: Value) -> Iterator[tuple[Value, Index]]:
    """The operands of a concatenate, and where each begins."""
    starts: list[Dim] = [0] * node.type.rank
    for operand in node.operands:
        yield operand, _constants(starts)
        starts[node["dimension"]] += operand.type.shape[node["dimension"]]


def _holds(point: Definitions, node: Value, operand: Value, starts: Index, index: Index) -> bool:
    """Whether `index` is proved to fall into `operand`, which begins at `starts`."""
    along = node["dimension"]
    moved = affine.add(index[along], affine.scale(starts[along], -1))
    low, high = affine.bounds(moved, point.extents)
    return is_proved(lambda: low >= 0) and is_proved(lambda: high < operand.type.shape[along])


def pad(point: Definitions, node: Value, index: Index) -> Asking[str]:
    """The element at `index` of a pad: the operand's if the index is inside of it, else the padding
    value."""
    operand, value = node.operands
    filler = yield value, ()
    if any(node["interior"]):
        return (yield from _spaced(point, node, index, filler))
    return (yield from piece(point, node, operand, _constants(node["low"]), index, filler))


RULES = {"concatenate": concatenate, "pad": pad}


def piece(
    point: Definitions,
    node: Value,
    operand: Value,
    starts: Sequence[Affine],
    index: Index,
    other: str | None,
) -> Asking[str]:
    """`operand` where `index` falls into its box at `starts`, else `other`."""
    sizes = operand.type.shape
    if 0 in sizes and other is not None:
        return other  # not even a masked load has an element to read
    at: list[Affine] = []
    inside: str | None = None
    for part, start, size in zip(index, starts, sizes, strict=True):
        moved = affine.add(part, affine.scale(start, -1))
        inside = point.both(node, inside, point.inside(node, moved, size))
        # Inside the box a dimension of size 1 has one index.
        at.append(affine.ZERO if size == 1 else moved)
    with point.under(node, inside):
        value = yield operand, tuple(at)
    if inside is None or other is None:
        return value
    return point.choose(node, inside, value, other)


def _constants(numbers: Sequence[Dim]) -> tuple[Affine, ...]:
    return tuple(Affine((), n) for n in numbers)


# -- elements apart


def _spaced(point: Definitions, node: Value, index: Index, filler: str) -> Asking[str]:
    """The element at `index` of a pad with interior padding `filler` between the operand's
    elements."""
    (operand, _), at = node.operands, list[Affine]()
    inside: str | None = None
    for d, (low, gap) in enumerate(zip(node["low"], node["interior"], strict=True)):
        moved = affine.add(index[d], Affine((), -low))
        part, holds = apart(point, node, moved, gap + 1, operand.type.shape[d])
        at.append(part)
        inside = point.both(node, inside, holds)
    if 0 in operand.type.shape:
        return filler
    with point.under(node, inside):
        value = yield operand, tuple(at)
    return value if inside is None else point.choose(node, inside, value, filler)


def apart(
    point: Definitions, node: Attributed, step: Affine, distance: int, size: Dim
) -> tuple[Affine, str | None]:
    """In a dimension where `size` elements are `distance` positions apart: the index of the element
    at position `step`, and a bool value that is true if there is one; None if there always is."""
    holds = point.inside(node, step, (size - 1) * distance + 1)
    if distance == 1 or size <= 1:
        return step if size > 1 else affine.ZERO, holds
    at, by = point.number(node, step), point.constant(I32, distance)
    beside = point.compute(node, I32, "remainder", (at, by))
    whole = point.compute(node, BOOL, "compare", (beside, point.constant(I32, 0)), "EQ")
    place = point.compute(node, I32, "divide", (at, by))
    point.extents[place] = size
    return Affine(indirect=(Indirect(place, 1, "masked"),)), point.both(node, holds, whole)
