"""Blocks of arrays: an array that is sharded over a mesh, with the mesh's axes as leading
dimensions."""

import math
from collections.abc import Mapping
from typing import Any

import jax


def split(x: Any, spec: Any, sizes: Mapping[str, int]) -> tuple[Any, tuple[str, ...]]:
    """Cuts an array [D0, D1, ...] into the blocks of a PartitionSpec. Returns [n, ..., d0, d1,
    ...], with an n for each mesh axis that `spec` names, in the order of `sizes` (the mesh's axes
    with their sizes), and the names of these axes; D0 = d0 times the sizes of the axes that it is
    sharded over. Over an axis that `spec` does not name, the array is replicated."""
    order, rest = _places(x.ndim, spec)
    sharded = tuple(name for name in sizes if name in order)
    if not sharded:
        return x, ()
    shape = list[int]()
    for number, size in enumerate(x.shape):
        over = [sizes[name] for name in _axes(spec, number)]
        shape += [*over, size // math.prod(over)]
    places = [*(order[name] for name in sharded), *rest]
    return jax.lax.transpose(jax.lax.reshape(x, shape), places), sharded


def joined(x: Any, spec: Any, sizes: Mapping[str, int]) -> Any:
    """The inverse of `split`: from [n, ..., d0, d1, ...], with an n for each of `sizes`, the array
    [D0, D1, ...]. Along an axis that `spec` does not name all blocks are equal, and the first is
    taken."""
    rank = x.ndim - len(sizes)
    order, rest = _places(rank, spec)
    for place, name in reversed([*enumerate(sizes)]):
        if name not in order:
            x = jax.lax.index_in_dim(x, 0, place, keepdims=False)
    sharded = [name for name in sizes if name in order]
    back = [0] * x.ndim
    for place, target in enumerate([*(order[name] for name in sharded), *rest]):
        back[target] = place
    local = x.shape[len(sharded) :]
    over = [math.prod(sizes[name] for name in _axes(spec, number)) for number in range(rank)]
    shape = [size * n for size, n in zip(local, over, strict=True)]
    return jax.lax.reshape(jax.lax.transpose(x, back), shape)


def _places(rank: int, spec: Any) -> tuple[dict[str, int], list[int]]:
    """The dimensions of an array of rank `rank` whose sharded dimensions are each reshaped to
    [n, ..., d]: of each mesh axis, by name, and of the blocks' dimensions d, in order."""
    order, rest, at = dict[str, int](), list[int](), 0
    for number in range(rank):
        for name in _axes(spec, number):
            order[name], at = at, at + 1
        rest.append(at)
        at += 1
    return order, rest


def _axes(spec: Any, number: int) -> tuple[str, ...]:
    """The mesh axes that dimension `number` is sharded over."""
    entry = spec[number] if number < len(spec) else None
    if entry is None:
        return ()
    return entry if isinstance(entry, tuple) else (entry,)
