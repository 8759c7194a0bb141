import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def branches(i, x):
    y = lax.cond(i > 1, jnp.sin, jnp.cos, x)
    return lax.switch(i, [lambda x: x + 1, lambda x: x * 2, lambda x: x ** 2], y)


@jax.jit
def newton(x):
    return lax.while_loop(lambda s: jnp.abs(s ** 2 - x) > 1e-4, lambda s: (s + x / s) / 2, x)


@jax.jit
def power(x):
    return lax.fori_loop(0, 5, lambda i, acc: acc * x + i, jnp.ones_like(x))


print(branches(2, jnp.ones(4)), newton(2.0), power(jnp.arange(3.0)))
