# small: f32[128,128]
# medium: f32[1024,1024]
# large: f32[4096,4096]
import jax.numpy as jnp


def f(x):
    return jnp.concatenate([x[:, 1:], x[:, :1]], axis=1) + jnp.pad(x[:-1], ((1, 0), (0, 0)))
