"""Arithmetic on affine index expressions, and how each view transforms an index.

An index is a tuple with one Affine for each dimension. Functions return a new index, or None if the
result is not affine, which the caller turns into a refusal with a reason.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim, divided, is_multiple, larger, quotient, smaller
from compiler_core.ir.types import strides
from compiler_core.kernel.access import Affine, Indirect

Index = tuple[Affine, ...]
# The number of values that each axis takes, from 0; and so for each value that an index reads.
Extents = Mapping[str, Dim]

ZERO = Affine()


def add(a: Affine, b: Affine) -> Affine:
    """The sum of two indices."""
    terms = dict(a.terms)
    for axis, stride in b.terms:
        terms[axis] = terms.get(axis, 0) + stride
    return Affine(
        tuple((axis, terms[axis]) for axis in sorted(terms) if terms[axis] != 0),
        a.offset + b.offset,
        _add_indirect(a.indirect, b.indirect),
    )


def _add_indirect(a: tuple[Indirect, ...], b: tuple[Indirect, ...]) -> tuple[Indirect, ...]:
    if not a or not b:
        return a or b
    found = {x.value: x for x in a}
    for x in b:
        both = found[x.value].stride + x.stride if x.value in found else x.stride
        found[x.value] = replace(x, stride=both)
    return tuple(x for x in found.values() if x.stride != 0)


def scale(a: Affine, factor: Dim) -> Affine:
    """An index times a size."""
    if factor == 0:
        return ZERO
    if factor == 1:
        return a
    terms = tuple((axis, s * factor) for axis, s in a.terms)
    values = tuple(replace(x, stride=x.stride * factor) for x in a.indirect)
    return Affine(terms, a.offset * factor, values)


def linear(index: Index, shape: Sequence[Dim]) -> Affine:
    """The row-major offset of `index` in a buffer of `shape`, in elements."""
    result = ZERO
    for part, stride in zip(index, strides(tuple(shape)), strict=True):
        result = add(result, scale(part, stride))
    return result


def bounds(a: Affine, extents: Extents) -> tuple[Dim, Dim]:
    """The least and the greatest value. Raises Undecided for a stride whose sign is not known."""
    low = high = a.offset
    for name, stride in _named(a):
        reach = (extents[name] - 1) * stride
        low, high = low + smaller(reach, 0), high + larger(reach, 0)
    return low, high


def _named(a: Affine) -> list[tuple[str, Dim]]:
    """Axes and values alike, with their strides."""
    return [*a.terms, *((x.value, x.stride) for x in a.indirect)]


def split(a: Affine, size: Dim, extents: Extents) -> tuple[Affine, Affine] | None:
    """(a // size, a % size) if these are affine: every stride is a multiple of `size`, or the terms
    that are not, together with the offset's remainder, stay within 0 .. size - 1. Raises Undecided
    if that depends on the value of a symbol."""
    whole, rest = quotient(a.offset, size)
    inner = Affine(
        tuple((axis, s) for axis, s in a.terms if not is_multiple(s, size)),
        rest,
        tuple(x for x in a.indirect if not is_multiple(x.stride, size)),
    )
    low, high = bounds(inner, extents)
    if any(s < 0 for _, s in _named(inner)) or low < 0 or high >= size:
        return None
    outer = Affine(
        tuple((axis, q) for axis, s in a.terms if (q := divided(s, size)) is not None),
        whole,
        tuple(
            replace(x, stride=q) for x in a.indirect if (q := divided(x.stride, size)) is not None
        ),
    )
    return outer, inner


def reshape(index: Index, old: Sequence[Dim], new: Sequence[Dim], extents: Extents) -> Index | None:
    """The index in shape `new` of the element at `index` in shape `old` (same row-major order)."""
    if tuple(old) == tuple(new):
        return index
    if without_ones(old) == without_ones(new):
        kept = (part for part, size in zip(index, old, strict=True) if size != 1)
        return tuple(ZERO if size == 1 else next(kept) for size in new)
    if 0 in new:
        return (ZERO,) * len(new)  # no element is ever asked for
    rest = linear(index, old)
    parts: list[Affine] = []
    for size in reversed(new):
        if size == 1:
            parts.append(ZERO)
            continue
        pair = split(rest, size, extents)
        if pair is None:
            return None
        rest, inner = pair
        parts.append(inner)
    return tuple(reversed(parts)) if rest == ZERO else None


def without_ones(shape: Sequence[Dim]) -> tuple[Dim, ...]:
    """The sizes of the dimensions that an index can move along."""
    return tuple(s for s in shape if s != 1)


def operand_index(view: Value, index: Index, extents: Extents) -> Index | None:
    """The index at which a view reads its operand to produce its result at `index`; None if it is
    not affine."""
    return OPERAND_INDEX[view.op](view, index, extents)


def through_views(x: Value, base: Value) -> Affine | None:
    """Where element (d0, d1, ...) of `x` lies in the memory of `base`, of which it is a view; None
    if that is not affine. Dimensions of size 1 have no term."""
    extents: Extents = {f"d{i}": size for i, size in enumerate(x.type.shape)}
    index: Index = tuple(
        Affine(((f"d{i}", 1),)) if size != 1 else ZERO for i, size in enumerate(x.type.shape)
    )
    while not _has_order_of(x, base):
        moved = operand_index(x, index, extents)
        if moved is None:
            return None
        x, index = x.operands[0], moved
    return linear(index, x.type.shape)


def _has_order_of(x: Value, base: Value) -> bool:
    """Whether `x` has the elements of `base` in the same order."""
    while x.op == "reshape" and x is not base:
        x = x.operands[0]
    return x is base


def _of_broadcast(view: Value, index: Index, extents: Extents) -> Index:
    sizes = zip(view.operands[0].type.shape, view["dimensions"], strict=True)
    return tuple(ZERO if size == 1 else index[dimension] for size, dimension in sizes)


def _of_reshape(view: Value, index: Index, extents: Extents) -> Index | None:
    return reshape(index, view.type.shape, view.operands[0].type.shape, extents)


def _of_transpose(view: Value, index: Index, extents: Extents) -> Index:
    permutation = view["permutation"]
    return tuple(index[permutation.index(i)] for i in range(view.type.rank))


def _of_slice(view: Value, index: Index, extents: Extents) -> Index:
    parts = zip(index, view["start"], view["strides"], strict=True)
    return tuple(add(scale(part, stride), Affine((), start)) for part, start, stride in parts)


def _of_reverse(view: Value, index: Index, extents: Extents) -> Index:
    return tuple(
        add(scale(part, -1), Affine((), size - 1)) if i in view["dimensions"] else part
        for i, (part, size) in enumerate(zip(index, view.type.shape, strict=True))
    )


# A row for every free view of ir/ops.
OPERAND_INDEX: dict[str, Callable[[Value, Index, Extents], Index | None]] = {
    "broadcast_in_dim": _of_broadcast,
    "reshape": _of_reshape,
    "transpose": _of_transpose,
    "slice": _of_slice,
    "reverse": _of_reverse,
}


def result_index(view: Value, index: Index, extents: Extents) -> Index | None:
    """The inverse of `operand_index`, for a view that permutes: the index in its result of the
    operand's element at `index`; None if it is not affine."""
    return RESULT_INDEX[view.op](view, index, extents)


def _in_reshape(view: Value, index: Index, extents: Extents) -> Index | None:
    return reshape(index, view.operands[0].type.shape, view.type.shape, extents)


def _in_transpose(view: Value, index: Index, extents: Extents) -> Index:
    return tuple(index[i] for i in view["permutation"])


# A row for every view of ir/ops that permutes.
RESULT_INDEX: dict[str, Callable[[Value, Index, Extents], Index | None]] = {
    "reshape": _in_reshape,
    "transpose": _in_transpose,
}
