"""vmap: written for one, compiled for all"""

# inputs: f32[64,128], f32[128]
import jax
import jax.numpy as jnp


def nearest(points, centre):
    def distance(point):
        return jnp.sqrt(jnp.sum((point - centre) ** 2))

    return jax.vmap(distance)(points)
