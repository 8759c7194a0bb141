"""A tiny haiku: parameters are collected while a function runs."""
import contextlib
import jax
import jax.numpy as jnp

_frames = []


def get_parameter(name, shape, init):
    frame = _frames[-1]
    full = "/".join(frame["scope"] + [name])
    if frame["params"] is not None:
        return frame["params"][full]
    frame["key"], sub = jax.random.split(frame["key"])
    return frame["new"].setdefault(full, init(sub, shape))


@contextlib.contextmanager
def scope(name):
    _frames[-1]["scope"].append(name)
    yield
    _frames[-1]["scope"].pop()


def transform(f):
    def init(key, *args):
        _frames.append({"params": None, "new": {}, "key": key, "scope": []})
        f(*args)
        return _frames.pop()["new"]

    def apply(params, *args):
        _frames.append({"params": params, "new": {}, "key": None, "scope": []})
        out = f(*args)
        _frames.pop()
        return out

    return init, apply


def linear(x, n, name):
    with scope(name):
        w = get_parameter("w", (x.shape[-1], n), jax.nn.initializers.glorot_normal())
        b = get_parameter("b", (n,), lambda k, s: jnp.zeros(s))
    return x @ w + b


def attention(x, heads, name):
    B, T, C = x.shape
    with scope(name):
        qkv = linear(x, 3 * C, "qkv").reshape(B, T, 3, heads, C // heads)
        q, k, v = jnp.moveaxis(qkv, 2, 0)
        out = jax.nn.dot_product_attention(q, k, v, is_causal=True)
        return linear(out.reshape(B, T, C), C, "proj")


def net(tokens):
    emb = get_parameter("embed", (50, 32), jax.nn.initializers.normal(0.02))
    x = emb[tokens]
    for i in range(2):
        x = x + attention(jax.nn.standardize(x), 4, f"attn_{i}")
        x = x + linear(jax.nn.silu(linear(jax.nn.standardize(x), 64, f"up_{i}")), 32, f"down_{i}")
    return jnp.einsum("btc,vc->btv", x, emb)


init, apply = transform(net)
tokens = jax.random.randint(jax.random.PRNGKey(0), (2, 16), 0, 50)
params = init(jax.random.PRNGKey(1), tokens)


@jax.jit
def train_step(params, tokens):
    def loss(p):
        logits = apply(p, tokens[:, :-1])
        lp = jax.nn.log_softmax(logits)
        return -jnp.take_along_axis(lp, tokens[:, 1:, None], axis=-1).mean()
    l, g = jax.value_and_grad(loss)(params)
    return l, jax.tree.map(lambda p, g: p - 0.1 * g, params, g)


for _ in range(2):
    l, params = train_step(params, tokens)
    print(l)
