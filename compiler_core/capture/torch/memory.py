"""Views by `as_strided`, which show a tensor's memory as it lay there when they were created, and
`resize_`, by which a tensor itself becomes one.

A value of the graph has elements and no memory. The elements of a tensor that owns its memory are
laid out in a row according to its strides, and the view is read from there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import torch

from compiler_core.capture.places import put, take
from compiler_core.capture.torch.symbols import dim_of
from compiler_core.errors import CaptureError, Unsupported
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import number
from compiler_core.ir.types import I64

_ATEN = torch.ops.aten
RESIZES = frozenset({_ATEN.resize_.default, _ATEN.resize_as_.default})
BY_MEMORY = RESIZES | {_ATEN.as_strided.default, _ATEN.as_strided_.default}


@dataclass(frozen=True)
class Layout:
    """Sizes, strides and offset of a tensor in its memory, in elements."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    @classmethod
    def of(cls, sizes: Sequence[Any], strides: Sequence[Any], offset: Any) -> "Layout":
        """The layout of these numbers. Raises Undecided if one depends on a symbolic size."""
        numbers = [tuple(number(dim_of(x)) for x in part) for part in (sizes, strides, [offset])]
        return cls(numbers[0], numbers[1], numbers[2][0])

    @property
    def in_pairs(self) -> "Layout":
        """The layout of the same elements, if they are complex, as pairs of real numbers."""
        twice = tuple(2 * s for s in self.strides)
        return Layout((*self.sizes, 2), (*twice, 1), 2 * self.offset)

    @property
    def places(self) -> Any:
        """The offset of each element: an i64 array."""
        found = np.full((), self.offset, np.int64)
        for size, stride in zip(self.sizes, self.strides, strict=True):
            found = np.add.outer(found, np.arange(size) * stride)
        return found

    @property
    def order(self) -> list[int]:
        """The dimensions along which elements differ, by decreasing stride."""
        pairs = enumerate(zip(self.sizes, self.strides, strict=True))
        moving = [d for d, (size, stride) in pairs if size > 1 and stride > 0]
        return sorted(moving, key=lambda d: -self.strides[d])

    @property
    def reach(self) -> list[int] | None:
        """For each dimension in `order`, the extent in memory of an element of it with all inner
        dimensions; None where these overlap."""
        lengths, length = list[int](), 1
        for d in reversed(self.order):
            if self.strides[d] < length:
                return None
            lengths.append(length)
            length += (self.sizes[d] - 1) * self.strides[d]
        return lengths[::-1]

    @property
    def ends(self) -> tuple[int, int]:
        """The smallest and the largest offset."""
        along = ((n - 1) * s for n, s in zip(self.sizes, self.strides, strict=True))
        return self.offset, self.offset + sum(along)

    @property
    def has_gaps(self) -> bool:
        """Whether there are offsets between its elements that have none."""
        first, last = self.ends
        return last - first + 1 > prod(self.sizes[d] for d in self.order)

    def holds(self, other: "Layout") -> bool:
        """Whether every offset of `other` is an offset of an element of this layout."""
        if not all(self.sizes) or not all(other.sizes):
            return not all(other.sizes)
        (low, high), (first, last) = self.ends, other.ends
        if self.reach is None or first < low or last > high:
            return False
        return not self.has_gaps or bool(np.isin(other.places, self.places).all())

    @property
    def repeats(self) -> bool:
        """Whether several elements share an offset because a stride is 0."""
        return any(n > 1 and s == 0 for n, s in zip(self.sizes, self.strides, strict=True))


@dataclass(frozen=True)
class Memory:
    """`tensor` owns the memory, in which it is laid out as `own`; `shown` is the layout of the
    view."""

    tensor: torch.Tensor
    own: Layout
    shown: Layout

    def read(self, x: Value, b: Builder) -> Value:
        """The view's elements, from the tensor's value `x`. Raises Unsupported for memory outside
        of the tensor."""
        if not all(self.shown.sizes):
            return b.scalar(0, x.type.dtype, self.shown.sizes)
        self._check()
        return _read(b, _row(b, x, self.own), self.shown, self.shown.offset - self.own.offset)

    def write(self, x: Value, new: Value, b: Builder) -> Value:
        """The tensor's value `x` with `new` where the view shows it. Raises CaptureError where
        elements of the view share an offset."""
        if not all(self.shown.sizes):
            return x
        self._check()
        if self.shown.reach is None or self.shown.repeats:
            raise CaptureError(
                "a write into a view made by as_strided, whose elements overlap, is not compiled",
                remedy="compute a new tensor instead of writing into the view",
            )
        row = _row(b, x, self.own)
        at = _places(b, self.shown, self.shown.offset - self.own.offset)
        changed = put(b, row, [0], [at], 0, new, "set", "clamp")
        return _read(b, changed, self.own, 0)

    def grown(self, x: Value, b: Builder) -> Value:
        """The tensor's elements in a larger shape; those beyond them, which torch leaves as they
        are in memory, are 0."""
        row = _row(b, x, self.own) if all(self.own.sizes) else b.reshape(x, (0,))
        return b.reshape(_long(b, row, prod(self.shown.sizes)), self.shown.sizes)

    def _check(self) -> None:
        if not self.own.holds(self.shown):
            raise Unsupported(
                "as_strided shows memory that the compiled program is not given",
                remedy="pass the whole tensor, and take the part of it that you want by slicing",
            )


def memory_of(func: Any, args: Sequence[Any], calls: Iterable[Any]) -> Memory:
    """The memory that an operation in BY_MEMORY shows for these arguments, after `calls`."""
    x, sizes, strides, offset = _resized(*args) if func in RESIZES else args
    owner = x
    for call in reversed([*calls]):
        if is_view(call.func) and any(owner is tensor for tensor, *_ in call.results):
            owner = call.args[0]
    own = Layout.of(owner.shape, owner.stride(), owner.storage_offset())
    if func in RESIZES and own == Layout.of(x.shape, x.stride(), x.storage_offset()):
        owner = x  # as `detach` shows all of it
    shown = Layout.of(sizes, strides, x.storage_offset() if offset is None else offset)
    if owner.is_complex():
        own, shown = own.in_pairs, shown.in_pairs
    return Memory(owner, own, shown)


def _resized(x: torch.Tensor, size: Any, *_: Any) -> tuple[Any, ...]:
    """As the arguments of `as_strided`, where `size` may be a tensor of that size."""
    sizes = tuple(size.shape if isinstance(size, torch.Tensor) else size)
    if sizes == tuple(x.shape):
        return x, sizes, x.stride(), None
    strides = [1]
    for extent in reversed(sizes[1:]):
        strides.append(strides[-1] * max(1, extent))
    return x, sizes, strides[::-1][: len(sizes)], None


@lru_cache(maxsize=4096)
def is_view(func: Any) -> bool:
    """Whether an operation's results share memory with its first argument, by its schema."""
    if not hasattr(func, "_schema"):
        return False
    returns = [r.alias_info for r in func._schema.returns]
    return any(a is not None and not a.is_write for a in returns)


def _row(b: Builder, x: Value, layout: Layout) -> Value:
    """The elements of `x` from the first place to the last: whatever is between them is 0."""
    order = layout.order
    for d in range(x.type.rank):
        if d not in order and x.type.sizes[d] > 1:
            x = _cut(b, x, d, 1)
    rest = [d for d in range(x.type.rank) if d not in order]
    x = b.reshape(b.transpose(x, [*rest, *order]), (*(layout.sizes[d] for d in order), 1))
    for d in reversed(order):
        *outer, count, length = x.type.sizes
        x = _long(b, x, layout.strides[d])
        x = b.reshape(x, (*outer, count * layout.strides[d]))
        x = _cut(b, x, len(outer), (count - 1) * layout.strides[d] + length)
    return x


def _read(b: Builder, row: Value, layout: Layout, start: int) -> Value:
    """The elements that `layout`, from place `start` on, shows of a `row`."""
    order, reach = layout.order, layout.reach
    if reach is None:
        return take(b, row, [0], [_places(b, layout, start)], 0, "clamp")
    x = _cut(b, row, 0, row.type.sizes[0], start)
    for d, length in zip(order, reach, strict=True):
        *outer, _ = x.type.sizes
        count, stride = layout.sizes[d], layout.strides[d]
        x = _cut(b, _long(b, x, count * stride), len(outer), count * stride)
        x = _cut(b, b.reshape(x, (*outer, count, stride)), len(outer) + 1, length)
    x = _cut(b, x, len(order), 1)
    units = tuple(size if d in order else 1 for d, size in enumerate(layout.sizes))
    x = b.transpose(b.reshape(x, x.type.shape[:-1]), [order.index(d) for d in sorted(order)])
    return b.broadcast(b.reshape(x, units), layout.sizes)


def _long(b: Builder, x: Value, length: int) -> Value:
    """`x` with zeros after the end of its last dimension, which is then at least `length` long."""
    more = length - x.type.sizes[-1]
    if more <= 0:
        return x
    none = (0,) * (x.type.rank - 1)
    zero = b.convert(b.scalar(0, I64), x.type.dtype)
    return b.node("pad", x, zero, low=(*none, 0), high=(*none, more), interior=(*none, 0))


def _cut(b: Builder, x: Value, dim: int, limit: int, start: int = 0) -> Value:
    """x[start:limit] along `dim`."""
    if (start, limit) == (0, x.type.sizes[dim]):
        return x
    starts = tuple(start if d == dim else 0 for d in range(x.type.rank))
    limits = tuple(limit if d == dim else s for d, s in enumerate(x.type.shape))
    return b.node("slice", x, start=starts, limit=limits, strides=(1,) * x.type.rank)


def _places(b: Builder, layout: Layout, start: int) -> Value:
    """The place of each element that `layout` shows, an i64 value."""
    found = b.scalar(start, I64, layout.sizes)
    for d, stride in enumerate(layout.strides):
        along, step = b.iota(I64, layout.sizes, d), b.scalar(stride, I64, layout.sizes)
        found = b.node("add", found, b.node("multiply", along, step))
    return found
