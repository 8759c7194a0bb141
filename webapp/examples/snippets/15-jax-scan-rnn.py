"""A recurrent network, fifty steps of lax.scan"""

import jax
import jax.numpy as jnp
import numpy as np


def rnn(params, h, xs):
    def step(h, x):
        h = jnp.tanh(x @ params["x"] + h @ (params["h"] / 12) + params["b"])
        return h, h

    return jax.lax.scan(step, h, xs)


rng = np.random.default_rng(0)
params = {
    "x": rng.standard_normal((64, 128), dtype=np.float32) / 8,
    "h": rng.standard_normal((128, 128), dtype=np.float32),
    "b": np.zeros(128, dtype=np.float32),
}
h = np.zeros((16, 128), dtype=np.float32)
xs = rng.standard_normal((50, 16, 64), dtype=np.float32)

jax.jit(rnn)(params, h, xs)
