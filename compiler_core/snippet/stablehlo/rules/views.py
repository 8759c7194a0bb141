"""Operations that move or repeat elements."""

from typing import Any

from jax import lax

from compiler_core.snippet.stablehlo.module import Operation
from compiler_core.snippet.stablehlo.read import numpy_dtype
from compiler_core.snippet.stablehlo.rules.rule import Regions, Rule


def _broadcast(operation: Operation, operands: Any, regions: Regions) -> Any:
    dimensions = operation.attributes["broadcast_dimensions"]
    return lax.broadcast_in_dim(operands[0], operation.types[0].shape, dimensions)


def _reshape(operation: Operation, operands: Any, regions: Regions) -> Any:
    return lax.reshape(operands[0], operation.types[0].shape)


def _transpose(operation: Operation, operands: Any, regions: Regions) -> Any:
    return lax.transpose(operands[0], operation.attributes["permutation"])


def _reverse(operation: Operation, operands: Any, regions: Regions) -> Any:
    return lax.rev(operands[0], operation.attributes["dimensions"])


def _concatenate(operation: Operation, operands: Any, regions: Regions) -> Any:
    return lax.concatenate(operands, operation.attributes["dimension"])


def _slice(operation: Operation, operands: Any, regions: Regions) -> Any:
    given = operation.attributes
    return lax.slice(operands[0], given["start_indices"], given["limit_indices"], given["strides"])


def _pad(operation: Operation, operands: Any, regions: Regions) -> Any:
    given = operation.attributes
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    return lax.pad(*operands, list(zip(*(given[name] for name in names), strict=True)))


def _iota(operation: Operation, operands: Any, regions: Regions) -> Any:
    (type_,) = operation.types
    return lax.broadcasted_iota(
        numpy_dtype(type_), type_.shape, operation.attributes["iota_dimension"]
    )


def _copy(operation: Operation, operands: Any, regions: Regions) -> Any:
    return operands[0]


RULES: dict[str, Rule] = {
    # TensorFlow's modules have it at the ends of branches.
    "mhlo.copy": _copy,
    "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.reshape": _reshape,
    "stablehlo.transpose": _transpose,
    "stablehlo.reverse": _reverse,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.slice": _slice,
    "stablehlo.pad": _pad,
    "stablehlo.iota": _iota,
}
