# small: f32[128,128]
# medium: f32[1024,1024]
# large: f32[4096,4096]
import jax.numpy as jnp


def f(x):
    return (((0.1 * x + 0.2) * x + 0.3) * x + 0.4) * x + jnp.exp(-x * x)
