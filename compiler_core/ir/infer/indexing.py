"""Types of indexing operations."""

from compiler_core.ir.infer.rule import Attrs, Rule, Types, check
from compiler_core.ir.ops.indexing import COMBINATIONS, OUT_OF_BOUNDS
from compiler_core.ir.sizes import Dim
from compiler_core.ir.types import TensorType


def _policy(attrs: Attrs) -> None:
    check(attrs["out_of_bounds"] in OUT_OF_BOUNDS, lambda: f"no policy {attrs['out_of_bounds']}")


def _counts(indices: TensorType, vector_dim: int, components: int) -> list[Dim]:
    """The sizes of the indices but for the index vector's."""
    check(indices.dtype.is_integer, lambda: f"{indices} are no indices")
    check(0 <= vector_dim <= indices.rank, lambda: f"index vectors along {vector_dim} of {indices}")
    vector = indices.shape[vector_dim] if vector_dim < indices.rank else 1
    check(vector == components, lambda: f"{indices} has no vectors of {components} indices")
    return [size for i, size in enumerate(indices.shape) if i != vector_dim]


def _gather(operands: Types, attrs: Attrs) -> TensorType:
    operand, indices = operands
    _policy(attrs)
    sizes = attrs["slice_sizes"]
    check(
        len(sizes) == operand.rank
        and all(s <= o for s, o in zip(sizes, operand.shape, strict=True)),
        lambda: f"slices of {sizes} of {operand}",
    )
    counts = _counts(indices, attrs["index_vector_dim"], len(attrs["start_index_map"]))
    gone = (*attrs["collapsed_slice_dims"], *attrs["operand_batching_dims"])
    kept = [s for d, s in enumerate(sizes) if d not in gone]
    dims = attrs["offset_dims"]
    check(len(kept) == len(dims), lambda: f"offset_dims {dims} for slices of {kept}")
    inside, outside = iter(kept), iter(counts)
    rank = len(kept) + len(counts)
    return operand.with_shape(tuple(next(inside if d in dims else outside) for d in range(rank)))


def _scatter(operands: Types, attrs: Attrs) -> TensorType:
    operand, indices, updates = operands
    _policy(attrs)
    check(attrs["combine"] in COMBINATIONS, lambda: f"no combination {attrs['combine']}")
    check(updates.dtype is operand.dtype, lambda: f"updates {updates} of {operand}")
    starts = attrs["scatter_dims_to_operand_dims"]
    counts = _counts(indices, attrs["index_vector_dim"], len(starts))
    dims = attrs["update_window_dims"]
    given = [size for d, size in enumerate(updates.shape) if d not in dims]
    check(given == counts, lambda: f"updates {updates} for indices {indices}")
    gone = {*attrs["inserted_window_dims"], *attrs["input_batching_dims"]}
    inside = [size for d, size in enumerate(operand.shape) if d not in gone]
    check(
        len(inside) == len(dims)
        and all(updates.shape[d] <= size for d, size in zip(dims, inside, strict=True)),
        lambda: f"windows of updates {updates} in {operand}",
    )
    return operand


def _starts(operand: TensorType, starts: Types) -> None:
    check(
        len(starts) == operand.rank and all(t.rank == 0 and t.dtype.is_integer for t in starts),
        lambda: f"starts {', '.join(map(str, starts))} in {operand}",
    )


def _dynamic_slice(operands: Types, attrs: Attrs) -> TensorType:
    operand, *starts = operands
    _starts(operand, tuple(starts))
    sizes = tuple(attrs["sizes"])
    check(
        len(sizes) == operand.rank
        and all(0 <= s <= o for s, o in zip(sizes, operand.shape, strict=True)),
        lambda: f"a slice of {sizes} of {operand}",
    )
    return operand.with_shape(sizes)


def _dynamic_update_slice(operands: Types, attrs: Attrs) -> TensorType:
    operand, update, *starts = operands
    _starts(operand, tuple(starts))
    check(
        update.dtype is operand.dtype
        and update.rank == operand.rank
        and all(u <= o for u, o in zip(update.shape, operand.shape, strict=True)),
        lambda: f"an update {update} in {operand}",
    )
    return operand


RULES: dict[str, Rule] = {
    "gather": _gather,
    "scatter": _scatter,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
}
