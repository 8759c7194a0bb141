import jax
import jax.numpy as jnp


def segsum(x):
    T = x.shape[-1]
    x = jnp.repeat(x[..., None], T, axis=-1)
    mask = jnp.tril(jnp.ones((T, T), dtype=bool), -1)
    x = jnp.where(mask, x, 0)
    s = jnp.cumsum(x, axis=-2)
    return jnp.where(jnp.tril(jnp.ones((T, T), dtype=bool)), s, -jnp.inf)


def ssd(x, A, B, C, chunk):
    """Mamba-2's minimal SSD. x: (b, l, h, p), A: (b, l, h), B, C: (b, l, h, n)"""
    b, l, h, p = x.shape
    x, A, B, C = (a.reshape(b, l // chunk, chunk, *a.shape[2:]) for a in (x, A, B, C))
    A = A.transpose(0, 3, 1, 2)
    A_cum = jnp.cumsum(A, -1)
    L = jnp.exp(segsum(A))
    Y_diag = jnp.einsum("bclhn,bcshn,bhcls,bcshp->bclhp", C, B, L, x)
    decay = jnp.exp(A_cum[..., -1:] - A_cum)
    states = jnp.einsum("bclhn,bhcl,bclhp->bchpn", B, decay, x)
    states = jnp.concatenate([jnp.zeros_like(states[:, :1]), states], axis=1)
    decay_chunk = jnp.exp(segsum(jnp.pad(A_cum[..., -1], ((0, 0), (0, 0), (1, 0)))))
    new_states = jnp.einsum("bhzc,bchpn->bzhpn", decay_chunk, states)
    states, final = new_states[:, :-1], new_states[:, -1]
    Y_off = jnp.einsum("bclhn,bchpn,bhcl->bclhp", C, states, jnp.exp(A_cum))
    return (Y_diag + Y_off).reshape(b, l, h, p), final


key = jax.random.split(jax.random.PRNGKey(0), 4)
x = jax.random.normal(key[0], (2, 32, 4, 8))
A = -jnp.exp(jax.random.normal(key[1], (2, 32, 4)))
B, C = jax.random.normal(key[2], (2, 2, 32, 4, 16))
y, final = jax.jit(ssd, static_argnames="chunk")(x, A, B, C, chunk=8)
