import jax
import jax.numpy as jnp
from functools import partial

def layer_norm(x, scale, bias, eps=1e-5):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    var = jnp.var(x, axis=-1, keepdims=True)
    return scale * (x - mean) / jnp.sqrt(var + eps) + bias

def causal_attention(q, k, v):
    T = q.shape[-2]
    mask = jnp.tril(jnp.ones((T, T), dtype=bool))
    att = jnp.einsum("bhqd,bhkd->bhqk", q, k) / jnp.sqrt(q.shape[-1])
    att = jnp.where(mask, att, -jnp.inf)
    return jax.nn.softmax(att, axis=-1) @ v

@partial(jax.jit, static_argnames=("n_head",))
def block(params, x, n_head=4):
    B, T, C = x.shape
    h = layer_norm(x, params["ln1"]["scale"], params["ln1"]["bias"])
    qkv = h @ params["attn"]["w_qkv"]
    q, k, v = jnp.split(qkv, 3, axis=-1)
    q, k, v = [t.reshape(B, T, n_head, C // n_head).transpose(0, 2, 1, 3) for t in (q, k, v)]
    y = causal_attention(q, k, v).transpose(0, 2, 1, 3).reshape(B, T, C)
    x = x + y @ params["attn"]["w_o"]
    h = layer_norm(x, params["ln2"]["scale"], params["ln2"]["bias"])
    return x + jax.nn.gelu(h @ params["mlp"]["w1"]) @ params["mlp"]["w2"]
