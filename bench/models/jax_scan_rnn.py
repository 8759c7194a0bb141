"""A recurrent network of GRU cells by lax.scan, generating: each output is the next input"""

import jax
import jax.numpy as jnp

VOCABULARY, WIDTH, LENGTH = 32, 64, 40


def cell(p, h, x):
    z = jax.nn.sigmoid(x @ p["xz"] + h @ p["hz"])
    r = jax.nn.sigmoid(x @ p["xr"] + h @ p["hr"])
    return (1 - z) * h + z * jnp.tanh(x @ p["xh"] + (r * h) @ p["hh"])


@jax.jit
def generate(p, key, first):
    def step(state, key):
        h, token = state
        h = cell(p, h, p["embed"][token])
        token = jax.random.categorical(key, h @ p["embed"].T)
        return (h, token), token

    keys = jax.random.split(key, LENGTH)
    return jax.lax.scan(step, (jnp.zeros((4, WIDTH)), first), keys)[1]


@jax.jit
def train(p, tokens):
    def loss_fn(p):
        def step(h, token):
            h = cell(p, h, p["embed"][token])
            return h, h @ p["embed"].T

        _, logits = jax.lax.scan(step, jnp.zeros((4, WIDTH)), tokens[:-1])
        log_odds = jax.nn.log_softmax(logits)
        return -jnp.take_along_axis(log_odds, tokens[1:, :, None], axis=-1).mean()

    loss, grads = jax.value_and_grad(loss_fn)(p)
    return jax.tree.map(lambda w, g: w - 0.5 * g, p, grads), loss


names = ("xz", "hz", "xr", "hr", "xh", "hh")
keys = jax.random.split(jax.random.key(0), len(names) + 2)
p = {n: jax.random.normal(k, (WIDTH, WIDTH)) * WIDTH**-0.5 for n, k in zip(names, keys)}
p["embed"] = jax.random.normal(keys[-1], (VOCABULARY, WIDTH)) * WIDTH**-0.5
generate(p, jax.random.key(1), jnp.zeros(4, int))
train(p, jax.random.randint(keys[-2], (LENGTH, 4), 0, VOCABULARY))
