"""Attention in blocks with an online softmax, with a backward pass of its own."""
import functools
import jax
import jax.numpy as jnp
from jax import lax

BLOCK = 8


@functools.partial(jax.custom_vjp, nondiff_argnums=(3,))
def flash(q, k, v, causal):
    return _fwd(q, k, v, causal)[0]


def _fwd(q, k, v, causal):
    n, d = q.shape
    scale = d ** -0.5

    def one(i):
        qi = lax.dynamic_slice_in_dim(q, i * BLOCK, BLOCK)

        def body(carry, j):
            m, l, o = carry
            kj, vj = (lax.dynamic_slice_in_dim(t, j * BLOCK, BLOCK) for t in (k, v))
            s = qi @ kj.T * scale
            if causal:
                rows, cols = i * BLOCK + jnp.arange(BLOCK), j * BLOCK + jnp.arange(BLOCK)
                s = jnp.where(rows[:, None] >= cols[None], s, -jnp.inf)
            m2 = jnp.maximum(m, s.max(-1))
            safe = jnp.where(jnp.isinf(m2), 0.0, m2)
            p = jnp.exp(s - safe[:, None])
            c = jnp.exp(m - safe)
            return (m2, l * c + p.sum(-1), o * c[:, None] + p @ vj), None

        init = jnp.full(BLOCK, -jnp.inf), jnp.zeros(BLOCK), jnp.zeros((BLOCK, d))
        (m, l, o), _ = lax.scan(body, init, jnp.arange(n // BLOCK))
        return o / l[:, None], m + jnp.log(l)

    o, lse = lax.map(one, jnp.arange(n // BLOCK))
    o, lse = o.reshape(n, d), lse.reshape(n)
    return o, (q, k, v, o, lse)


def _bwd(causal, res, do):
    q, k, v, o, lse = res
    n, d = q.shape
    scale = d ** -0.5
    delta = jnp.sum(o * do, -1)

    def body(dq, j):
        kj, vj = (lax.dynamic_slice_in_dim(t, j * BLOCK, BLOCK) for t in (k, v))
        s = q @ kj.T * scale
        if causal:
            s = jnp.where(jnp.arange(n)[:, None] >= j * BLOCK + jnp.arange(BLOCK)[None], s, -jnp.inf)
        p = jnp.exp(s - lse[:, None])
        dp = do @ vj.T
        ds = p * (dp - delta[:, None]) * scale
        return dq + ds @ kj, (ds.T @ q, p.T @ do)

    dq, (dk, dv) = lax.scan(body, jnp.zeros_like(q), jnp.arange(n // BLOCK))
    return dq, dk.reshape(n, d), dv.reshape(n, d)


flash.defvjp(_fwd, _bwd)


@functools.partial(jax.jit, static_argnums=3)
def loss_and_grads(q, k, v, causal):
    f = lambda q, k, v: jnp.sum(jax.vmap(lambda q, k, v: flash(q, k, v, causal))(q, k, v) ** 2)
    return jax.value_and_grad(f, argnums=(0, 1, 2))(q, k, v)


q, k, v = jax.random.normal(jax.random.PRNGKey(0), (3, 2, 32, 16))
print(loss_and_grads(q, k, v, True)[0])
