import jax, jax.numpy as jnp

@jax.jit
def moe(x, router, w1, w2):
    logits = x @ router
    w, e = jax.lax.top_k(jax.nn.softmax(logits), 2)
    w = w / w.sum(-1, keepdims=True)
    flat = e.reshape(-1)
    order = jnp.argsort(flat)
    xs = jnp.repeat(x, 2, 0)[order]
    sizes = jnp.bincount(flat, length=router.shape[1])
    h = jax.nn.silu(jax.lax.ragged_dot(xs, w1, sizes))
    y = jax.lax.ragged_dot(h, w2, sizes)
    y = jnp.zeros_like(y).at[order].set(y).reshape(x.shape[0], 2, -1)
    return jnp.einsum("tkd,tk->td", y, w)

k = jax.random.split(jax.random.PRNGKey(0), 4)
print(moe(jax.random.normal(k[0], (16, 8)), jax.random.normal(k[1], (8, 4)), jax.random.normal(k[2], (4, 8, 32)), jax.random.normal(k[3], (4, 32, 8))).shape)
