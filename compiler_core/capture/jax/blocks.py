"""The blocks of an array that the devices of a mesh hold, as further axes of the array."""

import math
from collections.abc import Mapping
from typing import Any

import jax


def split(x: Any, spec: Any, sizes: Mapping[str, int]) -> tuple[Any, tuple[str, ...]]:
    """An array of shape [D0, D1, ...] cut as a PartitionSpec says: [n, ..., d0, d1, ...], where
    each n is the size of an axis of the mesh that `spec` names, in the order of `sizes`; and the
    names of these axes. An axis that it does not name holds the array whole."""
    order, rest = _places(x.ndim, spec)
    held = tuple(name for name in sizes if name in order)
    if not held:
        return x, ()
    shape = list[int]()
    for number, size in enumerate(x.shape):
        over = [sizes[name] for name in _axes(spec, number)]
        shape += [*over, size // math.prod(over)]
    places = [*(order[name] for name in held), *rest]
    return jax.lax.transpose(jax.lax.reshape(x, shape), places), held


def joined(x: Any, spec: Any, sizes: Mapping[str, int]) -> Any:
    """What `split` cuts, put together, of an array that has an axis for each of `sizes`: on one
    that `spec` does not name all blocks are the same."""
    rank = x.ndim - len(sizes)
    order, rest = _places(rank, spec)
    for place, name in reversed([*enumerate(sizes)]):
        if name not in order:
            x = jax.lax.index_in_dim(x, 0, place, keepdims=False)
    held = [name for name in sizes if name in order]
    back = [0] * x.ndim
    for place, target in enumerate([*(order[name] for name in held), *rest]):
        back[target] = place
    local = x.shape[len(held) :]
    over = [math.prod(sizes[name] for name in _axes(spec, number)) for number in range(rank)]
    shape = [size * n for size, n in zip(local, over, strict=True)]
    return jax.lax.reshape(jax.lax.transpose(x, back), shape)


def _places(rank: int, spec: Any) -> tuple[dict[str, int], list[int]]:
    """Where, in an array with each divided dimension as [n, ..., d], the axes of the mesh are by
    name, and where the rests of the dimensions are."""
    order, rest, at = dict[str, int](), list[int](), 0
    for number in range(rank):
        for name in _axes(spec, number):
            order[name], at = at, at + 1
        rest.append(at)
        at += 1
    return order, rest


def _axes(spec: Any, number: int) -> tuple[str, ...]:
    """The axes of the mesh that dimension `number` is divided over."""
    entry = spec[number] if number < len(spec) else None
    if entry is None:
        return ()
    return entry if isinstance(entry, tuple) else (entry,)
