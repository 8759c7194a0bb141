"""Ahead of time in JAX: lower, look, compile"""

import jax
import jax.numpy as jnp


def swish(x):
    return x * jax.nn.sigmoid(x)


lowered = jax.jit(swish).lower(jax.ShapeDtypeStruct((128, 256), jnp.float32))
lowered.compile()
