"""Places in flat memory as affine functions of an index, and writes there."""

from collections.abc import Sequence

from compiler_core.capture.places import put
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim
from compiler_core.ir.types import I64


def places_of(
    b: Builder, shape: Sequence[Dim], stride: Sequence[int], offset: int | None = None
) -> Value:
    """offset + sum of index * stride: i64 of `shape`."""
    place = b.scalar(offset or 0, I64, shape)
    for d, step in enumerate(stride):
        if step and shape[d] != 1:
            index = b.iota(I64, shape, d)
            by = index if step == 1 else b.node("multiply", index, b.scalar(step, I64, shape))
            place = b.node("add", place, by)
    return place


def windows_along(b: Builder, count: Dim, size: int, step: int) -> Value:
    """The places of the elements of `count` windows along a dimension: i64[count, size]."""
    return places_of(b, (count, size), (step, 1))


def put_strided(
    b: Builder, flat: Value, source: Value, stride: Sequence[int], offset: int | None = None
) -> Value:
    """Flat memory with the elements of `source` where a view by strides shows them."""
    if flat.type.elements == 0 or source.type.elements == 0:
        return flat
    place = b.reshape(places_of(b, source.type.shape, stride, offset), (source.type.elements,))
    updates = b.reshape(source, (source.type.elements,))
    return put(b, flat, [0], [place], 0, updates, "set", "in_bounds")
