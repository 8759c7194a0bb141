from functools import partial

import jax
import jax.numpy as jnp

pool = jax.jit(lambda x, k: x.reshape(-1, k).max(1), static_argnums=1)
print(pool(jnp.arange(12.0), 3))
scaled = jax.jit(partial(jnp.multiply, 3.0))
print(scaled(jnp.ones(3)))


@partial(jax.jit, static_argnames=["n"], inline=True)
def unrolled(x, *, n):
    for _ in range(n):
        x = x * 2
    return x


print(unrolled(jnp.ones(2), n=3))
