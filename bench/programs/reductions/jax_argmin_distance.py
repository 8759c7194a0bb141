# small: f32[64,8], f32[32,8]
# medium: f32[1024,16], f32[256,16]
# large: f32[8192,16], f32[512,16]
# dtypes: f32
import jax.numpy as jnp


def f(points, centers):
    distance = ((points[:, None] - centers[None]) ** 2).sum(-1)
    return jnp.argmin(distance, axis=1)
