"""An MLP over a pytree of parameters"""

import jax
import jax.numpy as jnp


def init(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        {"w": jax.random.normal(k, (m, n)) / jnp.sqrt(m), "b": jnp.zeros(n)}
        for k, m, n in zip(keys, sizes[:-1], sizes[1:])
    ]


@jax.jit
def mlp(params, x):
    *hidden, last = params
    for layer in hidden:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return x @ last["w"] + last["b"]


params = init(jax.random.key(0), [256, 512, 512, 64])
mlp(params, jnp.linspace(-1, 1, 256 * 256).reshape(256, 256))
