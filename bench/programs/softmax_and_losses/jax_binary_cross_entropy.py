# small: f32[128,128], f32[128,128]
# medium: f32[1024,1024], f32[1024,1024]
# large: f32[4096,4096], f32[4096,4096]
import jax.numpy as jnp


def f(logits, target):
    return (jnp.maximum(logits, 0) - logits * target + jnp.log1p(jnp.exp(-jnp.abs(logits)))).mean()
