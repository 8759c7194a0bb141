"""A GPT in JAX: forward pass, decoding with a KV cache, and a training step with Adam"""

import jax
import jax.numpy as jnp

VOCABULARY, CONTEXT, WIDTH, HEADS, BLOCKS = 65, 64, 64, 4, 4


def linear(key, inputs, outputs):
    return jax.random.normal(key, (inputs, outputs)) * inputs**-0.5


def init(key):
    keys = iter(jax.random.split(key, 4 * BLOCKS + 2))
    blocks = [
        {
            "qkv": linear(next(keys), WIDTH, 3 * WIDTH),
            "out": linear(next(keys), WIDTH, WIDTH),
            "up": linear(next(keys), WIDTH, 4 * WIDTH),
            "down": linear(next(keys), 4 * WIDTH, WIDTH),
            "norm1": jnp.ones(WIDTH),
            "norm2": jnp.ones(WIDTH),
        }
        for _ in range(BLOCKS)
    ]
    tokens = 0.02 * jax.random.normal(next(keys), (VOCABULARY, WIDTH))
    positions = 0.02 * jax.random.normal(next(keys), (CONTEXT, WIDTH))
    return {"tokens": tokens, "positions": positions, "blocks": blocks, "norm": jnp.ones(WIDTH)}


def norm(scale, x):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return scale * (x - mean) * jax.lax.rsqrt(variance + 1e-5)


def heads(x):
    return x.reshape(*x.shape[:-1], HEADS, WIDTH // HEADS)


def attend(q, k, v, mask):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * (WIDTH // HEADS) ** -0.5
    weights = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=-1)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(*q.shape[:2], WIDTH)


def block(p, x, mask, cache=None, position=0):
    q, k, v = map(heads, jnp.split(norm(p["norm1"], x) @ p["qkv"], 3, axis=-1))
    if cache is not None:
        k = jax.lax.dynamic_update_slice_in_dim(cache[0], k, position, axis=1)
        v = jax.lax.dynamic_update_slice_in_dim(cache[1], v, position, axis=1)
    x = x + attend(q, k, v, mask) @ p["out"]
    return x + jax.nn.gelu(norm(p["norm2"], x) @ p["up"]) @ p["down"], (k, v)


@jax.jit
def forward(params, tokens):
    x = params["tokens"][tokens] + params["positions"][: tokens.shape[1]]
    mask = jnp.tril(jnp.ones((tokens.shape[1], tokens.shape[1]), bool))
    for p in params["blocks"]:
        x, _ = block(p, x, mask)
    return norm(params["norm"], x) @ params["tokens"].T


@jax.jit
def decode(params, token, caches, position):
    x = params["tokens"][token] + params["positions"][position]
    mask = jnp.arange(CONTEXT) <= position
    kept = []
    for p, cache in zip(params["blocks"], caches):
        x, cache = block(p, x, mask, cache, position)
        kept.append(cache)
    return (norm(params["norm"], x) @ params["tokens"].T).argmax(-1), kept


def loss_fn(params, tokens, targets):
    log_odds = jax.nn.log_softmax(forward(params, tokens))
    return -jnp.take_along_axis(log_odds, targets[..., None], axis=-1).mean()


@jax.jit
def train(params, first, second, count, tokens, targets, rate=3e-4):
    loss, grads = jax.value_and_grad(loss_fn)(params, tokens, targets)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, grads)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, grads)
    count = count + 1

    def update(p, m, v):
        return p - rate * (m / (1 - 0.9**count)) / (jnp.sqrt(v / (1 - 0.999**count)) + 1e-8)

    return jax.tree.map(update, params, first, second), first, second, count, loss


key = jax.random.key(0)
params = init(key)
text = jax.random.randint(key, (2, CONTEXT + 1), 0, VOCABULARY)
forward(params, text[:, :-1])

empty = jnp.zeros((1, CONTEXT, HEADS, WIDTH // HEADS))
decode(params, text[:1, :1], [(empty, empty)] * BLOCKS, 3)

zeros = jax.tree.map(jnp.zeros_like, params)
train(params, zeros, zeros, jnp.array(0), text[:, :-1], text[:, 1:])
