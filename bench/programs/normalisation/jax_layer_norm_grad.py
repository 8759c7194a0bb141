# small: f32[128,128], f32[128]
# medium: f32[1024,1024], f32[1024]
# large: f32[4096,4096], f32[4096]
import jax
import jax.numpy as jnp


def norm(x, weight):
    centered = x - x.mean(-1, keepdims=True)
    return centered / jnp.sqrt((centered * centered).mean(-1, keepdims=True) + 1e-5) * weight


def f(x, weight):
    return jax.grad(lambda x, w: (norm(x, w) ** 2).sum(), argnums=(0, 1))(x, weight)
