# small: f32[8,16,16,16]
# medium: f32[32,32,32,64]
# large: f32[64,64,64,64]
import jax.numpy as jnp


def f(x):
    mean = x.mean((0, 1, 2))
    variance = ((x - mean) ** 2).mean((0, 1, 2))
    return (x - mean) / jnp.sqrt(variance + 1e-5), mean, variance
