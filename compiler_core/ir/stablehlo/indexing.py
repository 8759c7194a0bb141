"""Gathers, scatters and slices at computed places in StableHLO."""

from compiler_core.ir.combination import combination
from compiler_core.ir.graph import Value
from compiler_core.ir.monoids import for_dtype
from compiler_core.ir.stablehlo.generic import Rule, array, integers, named, operation_text
from compiler_core.ir.stablehlo.mlir_text import type_text
from compiler_core.ir.stablehlo.region import region_text
from compiler_core.ir.types import TensorType


def _gather(node: Value) -> str:
    names = (
        ("offset_dims", "offset_dims"),
        ("collapsed_slice_dims", "collapsed_slice_dims"),
        ("operand_batching_dims", "operand_batching_dims"),
        ("start_indices_batching_dims", "start_indices_batching_dims"),
        ("start_index_map", "start_index_map"),
    )
    attributes = {
        "dimension_numbers": f"#stablehlo.gather<{_numbers(node, names)}>",
        "slice_sizes": array(node["slice_sizes"]),
    }
    return operation_text(node, "stablehlo.gather", attributes)


def _scatter(node: Value) -> str:
    names = (
        ("update_window_dims", "update_window_dims"),
        ("inserted_window_dims", "inserted_window_dims"),
        ("input_batching_dims", "input_batching_dims"),
        ("scatter_indices_batching_dims", "scatter_indices_batching_dims"),
        ("scatter_dims_to_operand_dims", "scatter_dims_to_operand_dims"),
    )
    attributes = {"scatter_dimension_numbers": f"#stablehlo.scatter<{_numbers(node, names)}>"}
    if node["unique"]:
        attributes["unique_indices"] = "true"
    return operation_text(node, "stablehlo.scatter", attributes, f" {_combination(node)}")


def _numbers(node: Value, names: tuple[tuple[str, str], ...]) -> str:
    written = [f"{name} = {list(node[attr])}" for name, attr in names if node[attr]]
    return ", ".join([*written, f"index_vector_dim = {node['index_vector_dim']}"])


def _combination(node: Value) -> str:
    dtype, combine = node.type.dtype, node["combine"]
    if combine != "set":
        return region_text(combination(for_dtype(combine, dtype), (dtype,)))
    scalar = type_text(TensorType(dtype))
    return (
        f'({{^bb0(%old: {scalar}, %new: {scalar}): "stablehlo.return"(%new) : ({scalar}) -> ()}})'
    )


RULES: dict[str, Rule] = {
    "gather": _gather,
    "scatter": _scatter,
    "dynamic_slice": named("dynamic_slice", slice_sizes=integers("sizes")),
}
