"""Products and convolutions."""

from typing import Any

from jax import lax

from compiler_core.snippet.stablehlo.module import Operation
from compiler_core.snippet.stablehlo.read import numpy_dtype
from compiler_core.snippet.stablehlo.rules.rule import Regions, Rule


def _dot_general(operation: Operation, operands: Any, regions: Regions) -> Any:
    given = operation.attributes["dot_dimension_numbers"]
    numbers = tuple(
        tuple(given[f"{side}_{kind}_dimensions"] for side in ("lhs", "rhs"))
        for kind in ("contracting", "batching")
    )
    dtype = numpy_dtype(operation.types[0])
    return lax.dot_general(*operands, numbers, preferred_element_type=dtype)


def _dot(operation: Operation, operands: Any, regions: Regions) -> Any:
    return lax.dot(*operands, preferred_element_type=numpy_dtype(operation.types[0]))


def _convolution(operation: Operation, operands: Any, regions: Regions) -> Any:
    given = operation.attributes
    ones = (1,) * (operands[0].ndim - 2)
    kernel = operands[1]
    numbers = given["dimension_numbers"]
    reversed_ = [
        axis
        for axis, flag in zip(
            numbers["kernel_spatial_dimensions"], given.get("window_reversal", ()), strict=False
        )
        if flag
    ]
    return lax.conv_general_dilated(
        operands[0],
        lax.rev(kernel, reversed_) if reversed_ else kernel,
        given.get("window_strides", ones),
        [tuple(map(int, p)) for p in given.get("padding", [(0, 0)] * len(ones))],
        given.get("lhs_dilation", ones),
        given.get("rhs_dilation", ones),
        _numbers(numbers),
        given["feature_group_count"],
        given["batch_group_count"],
        preferred_element_type=numpy_dtype(operation.types[0]),
    )


def _numbers(given: dict[str, Any]) -> lax.ConvDimensionNumbers:
    """Batch (or output feature), then feature, then space, of each of the three."""
    return lax.ConvDimensionNumbers(
        (given["input_batch_dimension"], given["input_feature_dimension"],
         *given["input_spatial_dimensions"]),
        (given["kernel_output_feature_dimension"], given["kernel_input_feature_dimension"],
         *given["kernel_spatial_dimensions"]),
        (given["output_batch_dimension"], given["output_feature_dimension"],
         *given["output_spatial_dimensions"]),
    )  # fmt: skip


RULES: dict[str, Rule] = {
    "stablehlo.dot_general": _dot_general,
    "stablehlo.dot": _dot,
    "stablehlo.convolution": _convolution,
}
