import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int


def lookup(table: Float[Array, "vocab dim"], ids: Int[Array, "batch seq"]) -> Float[Array, "batch seq dim"]:
    return table[ids] * jnp.sqrt(table.shape[-1])
