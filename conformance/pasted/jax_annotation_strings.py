import jax
import jax.numpy as jnp


def linear(x: "f32[8,64]", w: "f32[64,16]", b: "f32[16]") -> "f32[8,16]":
    return jnp.dot(x, w) + b
