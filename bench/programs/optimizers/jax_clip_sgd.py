# small: f32[128,128], f32[128,128], f32[128,128]
# medium: f32[1024,1024], f32[1024,1024], f32[1024,1024]
# large: f32[4096,4096], f32[4096,4096], f32[4096,4096]
# dtypes: f32
import jax.numpy as jnp


def f(p, g, m):
    norm = jnp.sqrt((g * g).sum())
    m = 0.9 * m + g * jnp.minimum(1.0, 1.0 / (norm + 1e-6))
    return p - 0.01 * m, m
