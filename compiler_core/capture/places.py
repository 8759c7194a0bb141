"""Reading and writing at computed places, as both front doors ask for it: gathers and scatters
with StableHLO's dimension numbers."""

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
    """The elements of `x` at `indices` (of one shape, one for each of `dims`): in the result the
    dimensions of the indices stand together from `place`, the other dimensions of `x` around
    them."""
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
    """`x` with `updates` (of the shape that `take` would give) combined into it."""
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
    """`result[i, j, k] = x[i, indices[i, j, k], k]` for `dim` 1; the sizes of the others agree."""
    others = _others(x, dim)
    return b.node(
        "gather", x, indices, offset_dims=(), collapsed_slice_dims=(dim,),
        operand_batching_dims=others, start_indices_batching_dims=others, start_index_map=(dim,),
        index_vector_dim=x.type.rank, slice_sizes=(1,) * x.type.rank, out_of_bounds=policy, fill=0,
    )  # fmt: skip


def put_along(
    b: Builder, x: Value, dim: int, indices: Value, updates: Value, combine: str, policy: str
) -> Value:
    """`x` with `updates[i, j, k]` combined into `x[i, indices[i, j, k], k]` for `dim` 1."""
    others = _others(x, dim)
    attrs: dict[str, Any] = {"combine": combine, "out_of_bounds": policy, "unique": False}
    return b.node(
        "scatter", x, indices, updates, update_window_dims=(), inserted_window_dims=(dim,),
        input_batching_dims=others, scatter_indices_batching_dims=others,
        scatter_dims_to_operand_dims=(dim,), index_vector_dim=x.type.rank, **attrs,
    )  # fmt: skip


def _others(x: Value, dim: int) -> tuple[int, ...]:
    return tuple(d for d in range(x.type.rank) if d != dim)
