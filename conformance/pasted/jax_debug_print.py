import jax
import jax.numpy as jnp


@jax.jit
def f(x):
    jax.debug.print("x = {x}", x=x.sum())
    return jnp.exp(-x ** 2)


f(jnp.ones(4))
