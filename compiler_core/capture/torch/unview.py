"""Inverses of views: a base with new values where a view of it shows them."""

from collections.abc import Callable, Sequence
from typing import Any

from compiler_core.capture.complex_numbers.packing import packed, unpacked
from compiler_core.capture.complex_numbers.value import Complex
from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.places import put
from compiler_core.capture.special.bits import reread
from compiler_core.capture.torch.slices import place_within, windows_along
from compiler_core.errors import CaptureError
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim, Size
from compiler_core.ir.types import BOOL, I64, DType

Unview = Callable[..., Value]


def _same(b: Builder, base: Value, node: Value, *_: Any) -> Value:
    return node


def _reshaped(b: Builder, base: Value, node: Value, *_: Any) -> Value:
    """Of another type, the bits as they are: a view of a type as wide has the base's shape."""
    if node.type.dtype is not base.type.dtype:
        return b.node("bitcast_convert", node, dtype=base.type.dtype)
    return b.reshape(node, base.type.shape)


def _negated(b: Builder, base: Value, node: Value) -> Value:
    return b.node("negate", node)


def _conjugated(b: Builder, base: Value, node: Value) -> Value:
    value = unpacked(b, node)
    return packed(b, Complex(value.re, b.node("negate", value.im)))


def _permute(b: Builder, base: Value, node: Value, dims: Sequence[int]) -> Value:
    rank = base.type.rank
    inverse = [0] * rank
    for to, source in enumerate(dims):
        inverse[source % rank] = to
    return b.transpose(node, inverse)


def _swap(b: Builder, base: Value, node: Value, first: int, second: int) -> Value:
    order = list(range(base.type.rank))
    order[first], order[second] = order[second], order[first]
    return b.transpose(node, order)


def _t(b: Builder, base: Value, node: Value) -> Value:
    return b.transpose(node, tuple(reversed(range(base.type.rank))))


def _select(b: Builder, base: Value, node: Value, dim: int, index: Dim) -> Value:
    dim, at = dim % base.type.rank, place_within(index, base.type.shape[dim])
    shape = [*node.type.shape]
    shape.insert(dim, 1)
    return place_slice(b, base, b.reshape(node, shape), dim, at, 1)


def _slice(
    b: Builder,
    base: Value,
    node: Value,
    dim: int = 0,
    start: Dim | None = None,
    end: Dim | None = None,
    step: int = 1,
) -> Value:
    dim, size = dim % base.type.rank, base.type.shape[dim]
    if isinstance(size, Size) or isinstance(start, Size):
        return place_slice(b, base, node, dim, place_within(start or 0, size), step)
    return place_slice(b, base, node, dim, slice(start, None, step).indices(size)[0], step)


def place_slice(b: Builder, base: Value, node: Value, dim: int, start: Dim, step: int) -> Value:
    """`base` with `node` in place of base[start::step] along `dim`, as many elements as `node`
    has."""
    size, count = base.type.shape[dim], node.type.shape[dim]
    if count == 0:
        return base
    if count == size:
        return node
    rank = base.type.rank
    used = (count - 1) * step + 1
    edges = {
        "low": tuple(start if d == dim else 0 for d in range(rank)),
        "high": tuple(size - start - used if d == dim else 0 for d in range(rank)),
        "interior": tuple(step - 1 if d == dim else 0 for d in range(rank)),
    }
    inside = b.node("pad", b.scalar(True, BOOL, node.type.shape), b.scalar(False, BOOL), **edges)
    zero = b.scalar(_zero(node.type.dtype), node.type.dtype)
    return b.node("select", inside, b.node("pad", node, zero, **edges), base)


def put_piece(b: Builder, base: Value, node: Value, dim: int, start: Dim) -> Value:
    """`base` with `node` in place of the elements from `start` on along `dim`; a `node` without
    `dim` is one element there."""
    shape = list(node.type.shape)
    if len(shape) < base.type.rank:
        shape.insert(dim, 1)
    return place_slice(b, base, b.reshape(node, shape), dim, start, 1)


def _diagonal(
    b: Builder, base: Value, node: Value, offset: int = 0, first: int = 0, second: int = 1
) -> Value:
    """Element i of the diagonal, the last dimension of `node`, is at row i of what is not above its
    begin, or at column i where it begins below the first row."""
    shape, rank = base.type.shape, base.type.rank
    first, second = first % rank, second % rank
    rows, columns = (b.iota(I64, shape, d) for d in (first, second))
    inside = b.compare(columns, b.node("add", rows, b.scalar(offset, I64, shape)), "EQ")
    along = first if offset >= 0 else second
    rest = [d for d in range(rank) if d not in (first, second)]
    last, dtype = node.type.rank - 1, node.type.dtype
    zeros = b.scalar(_zero(dtype), dtype, (*node.type.shape[:-1], shape[along]))
    dims = [*rest, along]
    order = sorted(range(len(dims)), key=dims.__getitem__)
    padded = b.transpose(place_slice(b, zeros, node, last, 0, 1), order)
    spread = b.broadcast_in_dim(padded, shape, sorted(dims))
    return b.node("select", inside, spread, base)


def _zero(dtype: DType) -> float | int | bool:
    return 0.0 if dtype.is_float else False if dtype is BOOL else 0


def _unfold(b: Builder, base: Value, node: Value, dim: int, size: int, step: int) -> Value:
    """Raises CaptureError where windows share elements: which of them holds the new one?"""
    if base.type.rank == 0:
        return b.reshape(node, ())
    if step < size:
        raise CaptureError(
            "a write into a view made by unfold, whose windows overlap, is not compiled",
            remedy="compute a new tensor instead of writing into the view",
        )
    dim, rank = dim % base.type.rank, base.type.rank
    order = [*range(dim + 1), rank, *range(dim + 1, rank)]
    updates = b.transpose(node, order)
    place = windows_along(b, updates.type.shape[dim], size, step)
    return put(b, base, [dim], [place], dim, updates, "set", "in_bounds")


# Views with several results, and the position of their argument for the dimension.
PIECES = {"split": 2, "split_with_sizes": 2, "unbind": 1}


def _bits(b: Builder, base: Value, node: Value, *_: Any) -> Value:
    return reread(LoweringContext(b, (base.type,)), node, base.type)


# By the name of an operation or of one overload.
UNVIEW: dict[str, Unview] = {
    "view.dtype": _bits,
    **dict.fromkeys(("detach", "alias", "lift_fresh", "view_as"), _same),
    **dict.fromkeys(("view", "_unsafe_view", "_reshape_alias", "unsqueeze", "squeeze"), _reshaped),
    **dict.fromkeys(("view_as_real", "view_as_complex"), _same),
    "_neg_view": _negated,
    "_conj": _conjugated,
    "permute": _permute,
    "transpose": _swap,
    "t": _t,
    "select": _select,
    "slice": _slice,
    "diagonal": _diagonal,
    "unfold": _unfold,
}

# Views of a packed complex value, not of each of its parts.
OF_PACKED = frozenset({"view_as_real", "view_as_complex", "_conj"})
