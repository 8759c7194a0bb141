"""Reading and writing at indices that are values. Out of bounds, StableHLO moves a slice inside and
leaves out what an update would write outside."""

from typing import Any

from jax import lax

from compiler_core.snippet.stablehlo.module import Operation
from compiler_core.snippet.stablehlo.rules.rule import Regions, Rule, refused


def _dynamic_slice(operation: Operation, operands: Any, regions: Regions) -> Any:
    return lax.dynamic_slice(operands[0], operands[1:], operation.attributes["slice_sizes"])


def _dynamic_update(operation: Operation, operands: Any, regions: Regions) -> Any:
    return lax.dynamic_update_slice(operands[0], operands[1], operands[2:])


def _gather(operation: Operation, operands: Any, regions: Regions) -> Any:
    given = operation.attributes["dimension_numbers"]
    numbers = lax.GatherDimensionNumbers(
        given["offset_dims"],
        given["collapsed_slice_dims"],
        given["start_index_map"],
        given["operand_batching_dims"],
        given["start_indices_batching_dims"],
    )
    indices = _last(operands[1], given["index_vector_dim"])
    sizes = operation.attributes["slice_sizes"]
    return lax.gather(operands[0], indices, numbers, sizes, mode=lax.GatherScatterMode.CLIP)


def _last(indices: Any, axis: int) -> Any:
    """The indices with the axis of their components last, as JAX has it."""
    if axis == indices.ndim:
        return lax.expand_dims(indices, (axis,))
    order = [i for i in range(indices.ndim) if i != axis]
    return lax.transpose(indices, [*order, axis]) if axis != indices.ndim - 1 else indices


_UPDATES = {
    "stablehlo.add": lax.scatter_add, "stablehlo.multiply": lax.scatter_mul,
    "stablehlo.minimum": lax.scatter_min, "stablehlo.maximum": lax.scatter_max,
    "stablehlo.subtract": lax.scatter_sub,
}  # fmt: skip


def _scatter(operation: Operation, operands: Any, regions: Regions) -> Any:
    if len(operands) != 3:
        raise refused(
            operation,
            "a scatter into several values is not compiled",
            "write one scatter for each of them",
        )
    given = operation.attributes["scatter_dimension_numbers"]
    numbers = lax.ScatterDimensionNumbers(
        given["update_window_dims"],
        given["inserted_window_dims"],
        given["scattered_dims_to_operand_dims"],
        given["input_batching_dims"],
        given["scatter_indices_batching_dims"],
    )
    indices = _last(operands[1], given["index_vector_dim"])
    mode = lax.GatherScatterMode.FILL_OR_DROP
    return _update(operation)(operands[0], indices, operands[2], numbers, mode=mode)


def _update(operation: Operation) -> Any:
    body = operation.regions[0]
    if not body.operations and body.returned == body.arguments[1:]:
        return lax.scatter
    names = [o.name for o in body.operations]
    if len(names) == 1 and names[0] in _UPDATES:
        return _UPDATES[names[0]]
    what = " and ".join(names) or "the old value"
    raise refused(
        operation,
        f"a scatter whose body is {what} is not compiled",
        "gather the old values, compute the new ones, and scatter these with a body that returns "
        "them",
    )


RULES: dict[str, Rule] = {
    "stablehlo.dynamic_slice": _dynamic_slice,
    "stablehlo.dynamic_update_slice": _dynamic_update,
    "stablehlo.gather": _gather,
    "stablehlo.scatter": _scatter,
}
