"""Reductions over axes and windows, with any body."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from compiler_core.snippet.stablehlo.module import Operation
from compiler_core.snippet.stablehlo.rules.rule import Regions, Rule, refused


def _reduce(operation: Operation, operands: Any, regions: Regions) -> Any:
    half = len(operands) // 2
    values, inits = tuple(operands[:half]), tuple(operands[half:])
    dimensions = operation.attributes["dimensions"]
    if half == 1:
        combine = _single(operation, regions)
        return lax.reduce(values[0], inits[0], combine, dimensions)
    return tuple(lax.reduce(values, inits, lambda a, b: tuple(regions[0](*a, *b)), dimensions))


# Bodies of a single operation for which jax.lax has a reduction of its own.
_NAMED = {
    "stablehlo.add": lax.add, "stablehlo.multiply": lax.mul, "stablehlo.maximum": lax.max,
    "stablehlo.minimum": lax.min, "stablehlo.and": lax.bitwise_and, "stablehlo.or": lax.bitwise_or,
    "stablehlo.xor": lax.bitwise_xor,
}  # fmt: skip


def _single(operation: Operation, regions: Regions) -> Any:
    names = [o.name for o in operation.regions[0].operations]
    if len(names) == 1 and names[0] in _NAMED:
        return _NAMED[names[0]]
    return lambda a, b: regions[0](a, b)[0]


def _window(operation: Operation, operands: Any, regions: Regions) -> Any:
    half = len(operands) // 2
    where = _where(operation, operands[0].ndim)
    if half == 1:
        return lax.reduce_window(*operands, _single(operation, regions), **where)
    values, inits = tuple(operands[:half]), tuple(operands[half:])
    return tuple(lax.reduce_window(values, inits, lambda a, b: tuple(regions[0](*a, *b)), **where))


def _where(operation: Operation, rank: int) -> dict[str, Any]:
    """The windows, as jax.lax names what they are."""
    given, ones = operation.attributes, (1,) * rank
    return {
        "window_dimensions": given["window_dimensions"],
        "window_strides": given.get("window_strides", ones),
        "padding": [tuple(map(int, p)) for p in given.get("padding", ((0, 0),) * rank)],
        "base_dilation": given.get("base_dilations", ones),
        "window_dilation": given.get("window_dilations", ones),
    }


def _select_and_scatter(operation: Operation, operands: Any, regions: Regions) -> Any:
    """Where it chooses the largest of each window and adds there, it is the gradient of taking the
    largest of each window, and the initial value besides."""
    operand, source, init = operands
    directions = [o.attributes.get("comparison_direction") for o in operation.regions[0].operations]
    does = [o.name for o in operation.regions[1].operations]
    if directions != ["GE"] or does != ["stablehlo.add"]:
        raise refused(
            operation,
            "select_and_scatter is compiled where it chooses by GE and adds alone",
            "write it as the gradient of a reduce_window by maximum, or as a gather and a scatter",
        )
    where = _where(operation, operand.ndim)
    floating = jnp.issubdtype(operand.dtype, jnp.floating)
    least = -np.inf if floating else jnp.iinfo(operand.dtype).min
    least = np.asarray(least, operand.dtype)
    _, gradient = jax.vjp(lambda x: lax.reduce_window(x, least, lax.max, **where), operand)
    return lax.add(gradient(source)[0], lax.broadcast(init, operand.shape))


RULES: dict[str, Rule] = {
    "stablehlo.reduce": _reduce,
    "stablehlo.reduce_window": _window,
    "stablehlo.select_and_scatter": _select_and_scatter,
}
