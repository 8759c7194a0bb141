import jax
import jax.numpy as jnp


def func(first, second):
    temp = first + jnp.sin(second) * 3.0
    return jnp.sum(temp)


print(jax.make_jaxpr(func)(jnp.zeros(8), jnp.ones(8)))
