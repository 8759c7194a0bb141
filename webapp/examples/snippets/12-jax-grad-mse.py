"""Gradient of a mean-squared-error loss"""

import jax
import jax.numpy as jnp
import numpy as np


def loss(params, x, y):
    prediction = jnp.tanh(x @ params["w"] + params["b"])
    return jnp.mean((prediction - y) ** 2)


rng = np.random.default_rng(0)
x = rng.standard_normal((1024, 256), dtype=np.float32)
y = rng.standard_normal((1024, 128), dtype=np.float32)
params = {
    "w": rng.standard_normal((256, 128), dtype=np.float32) / 16,
    "b": np.zeros(128, dtype=np.float32),
}

jax.jit(jax.grad(loss))(params, x, y)
