"""A pure function: what Python does beside it happens once"""

import jax
import jax.numpy as jnp

calls = []


@jax.jit
def counted(x):
    calls.append("traced")
    return jnp.tanh(x) * 2


for _ in range(3):
    counted(jnp.linspace(-2, 2, 128 * 256).reshape(128, 256))
print(len(calls))
