# small: f32[16], f32[32,16], f32[32]
# medium: f32[128], f32[1024,128], f32[1024]
# large: f32[256], f32[16384,256], f32[16384]
# dtypes: f32
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (jnp.tanh(x @ w) - y) ** 2


def f(w, x, y):
    each = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(w, x, y)
    norm = jnp.sqrt((each * each).sum(-1, keepdims=True))
    return (each * jnp.minimum(1.0, 1.0 / (norm + 1e-6))).mean(0)
