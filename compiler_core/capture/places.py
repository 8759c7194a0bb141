"""Gather and scatter, in the two forms that both front ends need: indices that select along some
dimensions, and indices of the operand's own rank. `policy` is what the IR's attribute
`out_of_bounds` says: "clamp", "mask" or "wrap"; `combine` is how a scatter joins an update with the
element that is there: "set", "add", ..."""

from collections.abc import Sequence
from typing import Any

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.types import I64

_NO_BATCHING: dict[str, tuple[int, ...]] = {
    "operand_batching_dims": (),
    "start_indices_batching_dims": (),
}


def take(
    b: Builder, x: Value, dims: Sequence[int], indices: Sequence[Value], place: int, policy: str
) -> Value:
    """Gather along `dims`: `indices` has an integer tensor for each of them, all of one shape. The
    result has the dimensions of `x` that are not in `dims`, in order, with the shape of the indices
    inserted at dimension `place`."""
    if 0 in [x.type.shape[d] for d in dims]:  # of which there is no slice
        rest = [s for d, s in enumerate(x.type.shape) if d not in dims]
        shape = (*rest[:place], *indices[0].type.shape, *rest[place:])
        return b.scalar(0, x.type.dtype, shape)
    sizes = tuple(1 if d in dims else s for d, s in enumerate(x.type.shape))
    vectors, along = _vectors(b, indices)
    return b.node(
        "gather", x, vectors, offset_dims=_windows(x, dims, indices[0].type.rank, place),
        collapsed_slice_dims=tuple(sorted(dims)), **_NO_BATCHING, start_index_map=tuple(dims),
        index_vector_dim=along, slice_sizes=sizes, out_of_bounds=policy, fill=0,
    )  # fmt: skip


def put(
    b: Builder, x: Value, dims: Sequence[int], indices: Sequence[Value], place: int,
    updates: Value, combine: str, policy: str,
) -> Value:  # fmt: skip
    """Scatter, the inverse of `take`: `x` with `updates`, of the shape that `take` gives, combined
    into the elements at `indices`."""
    vectors, along = _vectors(b, indices)
    return b.node(
        "scatter", x, vectors, updates,
        update_window_dims=_windows(x, dims, indices[0].type.rank, place),
        inserted_window_dims=tuple(sorted(dims)), input_batching_dims=(),
        scatter_indices_batching_dims=(), scatter_dims_to_operand_dims=tuple(dims),
        index_vector_dim=along, combine=combine, out_of_bounds=policy, unique=False,
    )  # fmt: skip


def _vectors(b: Builder, indices: Sequence[Value]) -> tuple[Value, int]:
    """The indices as vectors, and the dimension that these are along."""
    rank = indices[0].type.rank
    if len(indices) == 1:
        return indices[0], rank
    parts = [b.reshape(b.convert(i, I64), (*i.type.shape, 1)) for i in indices]
    return b.node("concatenate", *parts, dimension=rank), rank


def _windows(x: Value, dims: Sequence[int], count: int, place: int) -> tuple[int, ...]:
    rank = x.type.rank - len(dims) + count
    return tuple(d for d in range(rank) if not place <= d < place + count)


def take_along(b: Builder, x: Value, dim: int, indices: Value, policy: str) -> Value:
    """Gather along one dimension, as torch.gather and numpy.take_along_axis: for `dim` 1 of three,
    result[i, j, k] = x[i, indices[i, j, k], k]. `x` and `indices` have equal sizes but for
    `dim`."""
    if 0 in indices.type.shape:  # `x` may have no elements either
        return b.scalar(0, x.type.dtype, indices.type.shape)
    others = _others(x, dim)
    return b.node(
        "gather", x, indices, offset_dims=(), collapsed_slice_dims=(dim,),
        operand_batching_dims=others, start_indices_batching_dims=others, start_index_map=(dim,),
        index_vector_dim=x.type.rank, slice_sizes=(1,) * x.type.rank, out_of_bounds=policy, fill=0,
    )  # fmt: skip


def put_along(
    b: Builder, x: Value, dim: int, indices: Value, updates: Value, combine: str, policy: str
) -> Value:
    """Scatter along one dimension, as torch.scatter: `x`, where for `dim` 1 of three, updates[i, j,
    k] is combined into x[i, indices[i, j, k], k]. `updates` has the shape of `indices`."""
    others = _others(x, dim)
    attrs: dict[str, Any] = {"combine": combine, "out_of_bounds": policy, "unique": False}
    return b.node(
        "scatter", x, indices, updates, update_window_dims=(), inserted_window_dims=(dim,),
        input_batching_dims=others, scatter_indices_batching_dims=others,
        scatter_dims_to_operand_dims=(dim,), index_vector_dim=x.type.rank, **attrs,
    )  # fmt: skip


def _others(x: Value, dim: int) -> tuple[int, ...]:
    return tuple(d for d in range(x.type.rank) if d != dim)
