# small: f32[4,16,8], f32[8,12], f32[12,16]
# medium: f32[16,128,64], f32[64,96], f32[96,128]
# large: f32[32,512,128], f32[128,128], f32[128,256]
# dtypes: f32
import jax.numpy as jnp


def f(x, a, b):
    return jnp.einsum("btd,de,ef->btf", x, a, b) * 0.5
