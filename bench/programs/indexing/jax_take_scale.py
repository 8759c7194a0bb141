# small: f32[128,32], i32[64]~uniform(0,128)
# medium: f32[8192,256], i32[4096]~uniform(0,8192)
# large: f32[65536,256], i32[32768]~uniform(0,65536)
import jax.numpy as jnp


def f(table, index):
    return jnp.tanh(table[index]) * 0.5
