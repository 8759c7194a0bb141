"""An LSTM in JAX by lax.scan: the forward pass, and the gradient through time"""

import jax
import jax.numpy as jnp

INPUTS, WIDTH, LENGTH, BATCH = 32, 64, 24, 8


def cell(p, state, x):
    h, c = state
    i, f, g, o = jnp.split(x @ p["x"] + h @ p["h"] + p["b"], 4, axis=-1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (h, c), h


@jax.jit
def forward(p, xs):
    zeros = jnp.zeros((BATCH, WIDTH))
    _, hs = jax.lax.scan(lambda state, x: cell(p, state, x), (zeros, zeros), xs)
    return hs @ p["head"]


@jax.jit
def train(p, xs, targets):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((forward(p, xs) - targets) ** 2))(p)
    return jax.tree.map(lambda w, g: w - 0.1 * jnp.clip(g, -1, 1), p, grads), loss


keys = jax.random.split(jax.random.key(0), 5)
p = {
    "x": jax.random.normal(keys[0], (INPUTS, 4 * WIDTH)) * INPUTS**-0.5,
    "h": jax.random.normal(keys[1], (WIDTH, 4 * WIDTH)) * WIDTH**-0.5,
    "b": jnp.zeros(4 * WIDTH),
    "head": jax.random.normal(keys[2], (WIDTH, INPUTS)) * WIDTH**-0.5,
}
xs = jax.random.normal(keys[3], (LENGTH, BATCH, INPUTS))
forward(p, xs)
train(p, xs, jax.random.normal(keys[4], (LENGTH, BATCH, INPUTS)))
