"""Sorting in jax.lax."""

from jax import lax

from compiler_core.ir.eval_jax.values import Array, SeveralRule
from compiler_core.ir.graph import Operation


def _sort(operation: Operation, *xs: Array) -> tuple[Array, ...]:
    """lax.sort sorts in ascending order. For descending order the reversed operand is sorted and
    the result reversed, so that equal elements keep their order."""
    d, descending = operation["dimension"], operation["descending"]
    given = tuple(lax.rev(x, (d,)) for x in xs) if descending else xs
    results = lax.sort(given, d, operation["stable"], operation["keys"])
    return tuple(lax.rev(x, (d,)) for x in results) if descending else tuple(results)


def _top_k(operation: Operation, x: Array) -> tuple[Array, ...]:
    return tuple(lax.top_k(x, operation["k"]))


SEVERAL: dict[str, SeveralRule] = {"sort": _sort, "top_k": _top_k}
