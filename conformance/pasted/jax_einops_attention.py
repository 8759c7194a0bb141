import jax
import jax.numpy as jnp
from einops import einsum, rearrange, reduce, repeat


@jax.jit
def attention(params, x, heads=4):
    q, k, v = (rearrange(x @ params[n], "b t (h d) -> b h t d", h=heads) for n in ("q", "k", "v"))
    k = repeat(k[:, :1], "b 1 t d -> b h t d", h=heads)  # one key for all heads
    scores = einsum(q, k, "b h i d, b h j d -> b h i j") / jnp.sqrt(q.shape[-1])
    out = einsum(jax.nn.softmax(scores), v, "b h i j, b h j d -> b h i d")
    return reduce(rearrange(out, "b h t d -> b t (h d)"), "b t c -> b c", "mean")


keys = jax.random.split(jax.random.key(0), 4)
params = {n: jax.random.normal(k, (32, 32)) * 0.1 for n, k in zip("qkv", keys)}
y = attention(params, jax.random.normal(keys[3], (2, 16, 32)))
