# small: f32[32,64], f32[64,64], f32[64]
# medium: f32[256,512], f32[512,512], f32[512]
# large: f32[1024,2048], f32[2048,2048], f32[2048]
import jax.numpy as jnp


def f(x, w, b):
    return jnp.tanh(x @ w + b)
