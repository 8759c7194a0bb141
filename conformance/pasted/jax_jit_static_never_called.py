from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("num_heads", "causal"))
def attention(q, k, v, num_heads: int, causal: bool = True):
    b, t, d = q.shape
    split = lambda x: x.reshape(b, t, num_heads, d // num_heads).transpose(0, 2, 1, 3)
    q, k, v = map(split, (q, k, v))
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / jnp.sqrt(d // num_heads)
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones((t, t), bool)), scores, -jnp.inf)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)
