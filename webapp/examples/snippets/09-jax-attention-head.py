"""Softmax attention, one head"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@partial(jax.jit, static_argnames="causal")
def attention(q, k, v, causal=False):
    scores = q @ k.T / jnp.sqrt(q.shape[-1])
    if causal:
        mask = jnp.tril(jnp.ones(scores.shape, dtype=bool))
        scores = jnp.where(mask, scores, -jnp.inf)
    return jax.nn.softmax(scores, axis=-1) @ v


rng = np.random.default_rng(0)
q, k, v = (jnp.asarray(rng.standard_normal((512, 64)), jnp.float32) for _ in range(3))
attention(q, k, v)
