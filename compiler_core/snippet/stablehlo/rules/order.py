"""Sorting, the largest elements, random bits, Fourier transforms and triangular systems."""

from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from compiler_core.snippet.stablehlo.module import Operation
from compiler_core.snippet.stablehlo.read import numpy_dtype
from compiler_core.snippet.stablehlo.rules.rule import Regions, Rule, refused


def _sort(operation: Operation, operands: Any, regions: Regions) -> Any:
    """The comparator is code: it is asked what it says of a few values, and has to be the order of
    the first operands, one after the other, upwards or downwards."""
    keys, down = _order(operation, operands, regions[0])
    axis, stable = operation.attributes["dimension"], operation.attributes["is_stable"]
    if not down:
        return lax.sort(tuple(operands), axis, is_stable=stable, num_keys=keys)
    # Downwards and stable: the reverse of what is sorted upwards from its reverse.
    turned = tuple(lax.rev(x, (axis,)) for x in operands)
    found = lax.sort(turned, axis, is_stable=stable, num_keys=keys)
    return tuple(lax.rev(x, (axis,)) for x in found)


def _order(operation: Operation, operands: Any, comparator: Any) -> tuple[int, bool]:
    """How many operands are keys, and whether they are sorted downwards."""
    pairs = [(x, y) for x, y in product(product((0, 1), repeat=len(operands)), repeat=2)]
    with jax.ensure_compile_time_eval():
        results = [_compares(comparator, operands, x, y) for x, y in pairs]
    for keys, down in product(range(1, len(operands) + 1), (False, True)):
        if results == [(x[:keys] > y[:keys]) if down else (x[:keys] < y[:keys]) for x, y in pairs]:
            return keys, down
    raise refused(
        operation,
        "this comparator is no order of its operands, upwards or downwards",
        "sort by a key with LT or GT",
    )


def _compares(comparator: Any, operands: Any, x: Any, y: Any) -> bool:
    given = []
    for operand, one, other in zip(operands, x, y, strict=True):
        given += [jnp.asarray(one, operand.dtype), jnp.asarray(other, operand.dtype)]
    return bool(np.asarray(comparator(*given)[0]))


def _top_k(operation: Operation, operands: Any, regions: Regions) -> Any:
    return lax.top_k(operands[0], operation.attributes["k"])


def _random_bits(operation: Operation, operands: Any, regions: Regions) -> Any:
    shape, dtype = operation.types[-1].shape, numpy_dtype(operation.types[-1])
    return lax.rng_bit_generator(operands[0], shape, dtype)


def _fft(operation: Operation, operands: Any, regions: Regions) -> Any:
    given = operation.attributes
    return lax.fft(operands[0], given["fft_type"].lower(), tuple(given["fft_length"]))


def _cholesky(operation: Operation, operands: Any, regions: Regions) -> Any:
    lower = operation.attributes.get("lower", False)
    found = lax.linalg.cholesky(operands[0] if lower else jnp.swapaxes(operands[0], -1, -2))
    return found if lower else jnp.swapaxes(found, -1, -2)


def _triangular_solve(operation: Operation, operands: Any, regions: Regions) -> Any:
    given = operation.attributes
    return lax.linalg.triangular_solve(
        *operands,
        left_side=given["left_side"],
        lower=given["lower"],
        unit_diagonal=given["unit_diagonal"],
        transpose_a=given["transpose_a"] != "NO_TRANSPOSE",
        conjugate_a=given["transpose_a"] == "ADJOINT",
    )


RULES: dict[str, Rule] = {
    "stablehlo.sort": _sort,
    "chlo.top_k": _top_k,
    "stablehlo.rng_bit_generator": _random_bits,
    "stablehlo.fft": _fft,
    "stablehlo.cholesky": _cholesky,
    "stablehlo.triangular_solve": _triangular_solve,
}
