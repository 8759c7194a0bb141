"""Sorting in jax.lax."""

from jax import lax
from jax import numpy as jnp

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
    """lax.top_k orders by bits."""
    k, last = operation["k"], x.ndim - 1
    if operation["total"] or not jnp.issubdtype(x.dtype, jnp.floating):
        return tuple(lax.top_k(x, k))
    # The last of equals is the first when reversed.
    places = lax.broadcasted_iota(jnp.int32, x.shape, last)
    reversed_ = (lax.rev(v, (last,)) for v in (x, places))
    ordered = lax.sort(tuple(reversed_), num_keys=1)
    return tuple(lax.rev(v, (last,))[..., :k] for v in ordered)


SEVERAL: dict[str, SeveralRule] = {"sort": _sort, "top_k": _top_k}
