"""Linear attention three ways: RWKV's scan, RetNet in chunks, gated DeltaNet by a scan."""
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def wkv(w, u, k, v):
    def step(s, kv):
        a, b, p = s
        k, v = kv
        q = jnp.maximum(p, u + k)
        e1, e2 = jnp.exp(p - q), jnp.exp(u + k - q)
        out = (e1 * a + e2 * v) / (e1 * b + e2)
        q = jnp.maximum(p - jnp.exp(w), k)
        e1, e2 = jnp.exp(p - jnp.exp(w) - q), jnp.exp(k - q)
        return (e1 * a + e2 * v, e1 * b + e2, q), out
    d = k.shape[-1]
    init = jnp.zeros(d), jnp.zeros(d), jnp.full(d, -1e38)
    return lax.scan(step, init, (k, v))[1]


@jax.jit
def retention(q, k, v, gamma):
    """(H, T, D), chunks of 8."""
    H, T, D = q.shape
    q, k, v = (x.reshape(H, T // 8, 8, D).swapaxes(0, 1) for x in (q, k, v))
    i = jnp.arange(8)
    decay = jnp.where(i[:, None] >= i, gamma[:, None, None] ** (i[:, None] - i), 0.0)
    def chunk(S, x):
        q, k, v = x
        inner = jnp.einsum("htd,hsd,hts,hse->hte", q, k, decay, v)
        cross = jnp.einsum("htd,hde,ht->hte", q, S, gamma[:, None] ** (i + 1))
        S = S * gamma[:, None, None] ** 8 + jnp.einsum("htd,hte,ht->hde", k, v, gamma[:, None] ** (7 - i))
        return S, inner + cross
    _, o = lax.scan(chunk, jnp.zeros((H, D, D)), (q, k, v))
    return o.swapaxes(0, 1).reshape(H, T, D)


@jax.jit
def delta_net(q, k, v, beta, alpha):
    def step(S, x):
        q, k, v, b, a = x
        S = a * (S - b * jnp.outer(S @ k, k)) + b * jnp.outer(v, k)
        return S, S @ q
    k = k / (jnp.linalg.norm(k, axis=-1, keepdims=True) + 1e-6)
    return lax.scan(step, jnp.zeros((v.shape[-1], k.shape[-1])), (q, k, v, beta, alpha))[1]


k = jax.random.split(jax.random.PRNGKey(0), 4)
x = jax.random.normal(k[0], (3, 2, 16, 8))
print(wkv(jnp.zeros(8), jnp.ones(8), x[0, 0], x[1, 0])[-1])
print(retention(*x, jnp.array([0.9, 0.97]))[0, -1])
print(jax.jit(jax.grad(lambda q, k, v, b, a: delta_net(q, k, v, b, a).sum(), argnums=(0, 1, 2, 3)))(*x[:, 0], jax.nn.sigmoid(x[0, 1, :, 0]), jax.nn.sigmoid(x[1, 1, :, 0]))[3])
