"""The same expression written twice is computed once"""

# inputs: f32[256,256], f32[256]
import jax.numpy as jnp


def twice(x, b):
    up = jnp.exp(x + b) / 2
    down = 1 / jnp.exp(x + b) / 2
    return up + down, up - down
