"""A scatter that applies a function to elements, as `x.at[i].apply(f)` is one: it has no updates,
and an element that several indices name is given to the function as often."""

from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend import core


def applied(params: Mapping[str, Any]) -> Callable[..., jax.Array] | None:
    """The program, as a function of (operand, indices, updates), of a `scatter` equation with these
    parameters that applies a function to elements; None for a scatter that writes its updates, as
    most do."""
    jaxpr = params.get("update_jaxpr")
    if jaxpr is None or jaxpr.outvars[0] is jaxpr.invars[1]:
        return None
    of_one = core.jaxpr_as_fun(core.ClosedJaxpr(jaxpr, params["update_consts"]))

    def function(x: jax.Array) -> jax.Array:
        each = jax.vmap(lambda element: of_one(element, element)[0])
        return each(x.reshape(-1)).reshape(x.shape)

    kept = ("dimension_numbers", "indices_are_sorted", "unique_indices", "mode")
    count = partial(lax.scatter_add, **{name: params[name] for name in kept})

    def program(x: jax.Array, indices: jax.Array, updates: jax.Array) -> jax.Array:
        named = count(jnp.zeros(x.shape, jnp.int32), indices, jnp.ones(updates.shape, jnp.int32))
        if params["unique_indices"] or prod(indices.shape[:-1]) == 1:
            return jnp.where(named > 0, function(x), x)

        def again(i: jax.Array, x: jax.Array) -> jax.Array:
            return jnp.where(named > i, function(x), x)

        return lax.fori_loop(0, named.max(), again, x)

    return program
