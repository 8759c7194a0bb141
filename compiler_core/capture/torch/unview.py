"""Inverses of views: a base with new values where the view shows it."""

from collections.abc import Callable, Sequence
from typing import Any

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL

Unview = Callable[..., Value]


def _same(b: Builder, base: Value, node: Value, *_: Any) -> Value:
    return node


def _reshaped(b: Builder, base: Value, node: Value, *_: Any) -> Value:
    return b.reshape(node, base.type.shape)


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


def _select(b: Builder, base: Value, node: Value, dim: int, index: int) -> Value:
    dim, size = dim % base.type.rank, base.type.sizes[dim]
    shape = [*node.type.shape]
    shape.insert(dim, 1)
    return place_slice(b, base, b.reshape(node, shape), dim, index % size, 1)


def _slice(
    b: Builder,
    base: Value,
    node: Value,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Value:
    dim, size = dim % base.type.rank, base.type.sizes[dim]
    return place_slice(b, base, node, dim, slice(start, end, step).indices(size)[0], step)


def place_slice(b: Builder, base: Value, node: Value, dim: int, start: int, step: int) -> Value:
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
    zero = b.scalar(False if node.type.dtype is BOOL else 0, node.type.dtype)
    if node.type.dtype.is_float:
        zero = b.scalar(0.0, node.type.dtype)
    return b.node("select", inside, b.node("pad", node, zero, **edges), base)


def put_piece(b: Builder, base: Value, node: Value, dim: int, start: int) -> Value:
    """`base` with `node` in place of the elements from `start` on along `dim`; `node` may lack
    `dim`, then it is one element there."""
    shape = list(node.type.shape)
    if len(shape) < base.type.rank:
        shape.insert(dim, 1)
    return place_slice(b, base, b.reshape(node, shape), dim, start, 1)


# Views with several results, and the place of their dimension among the arguments.
PIECES = {"split": 2, "split_with_sizes": 2, "unbind": 1}

UNVIEW: dict[str, Unview] = {
    **dict.fromkeys(("detach", "alias", "lift_fresh", "view_as"), _same),
    **dict.fromkeys(("view", "_unsafe_view", "_reshape_alias", "unsqueeze", "squeeze"), _reshaped),
    "permute": _permute,
    "transpose": _swap,
    "t": _t,
    "select": _select,
    "slice": _slice,
}
