"""Gradients of each example: vmap of grad, clipped and noised as in private training"""

import jax
import jax.numpy as jnp

INPUTS, HIDDEN, CLASSES, BATCH = 32, 64, 10, 32


def loss_fn(params, x, label):
    h = jnp.tanh(x @ params["w1"] + params["b1"])
    return -jax.nn.log_softmax(h @ params["w2"])[label]


@jax.jit
def norms(params, xs, labels):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, xs, labels)
    return jnp.sqrt(sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in grads.values()))


@jax.jit
def train(params, key, xs, labels):
    def clipped(x, label):
        grads = jax.grad(loss_fn)(params, x, label)
        size = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(grads)))
        return jax.tree.map(lambda g: g / jnp.maximum(size, 1.0), grads)

    grads = jax.tree.map(lambda g: g.mean(0), jax.vmap(clipped)(xs, labels))
    keys = dict(zip(grads, jax.random.split(key, len(grads))))
    return {
        n: p - 0.1 * (grads[n] + 0.01 * jax.random.normal(keys[n], p.shape))
        for n, p in params.items()
    }


keys = jax.random.split(jax.random.key(0), 5)
params = {
    "w1": jax.random.normal(keys[0], (INPUTS, HIDDEN)) * INPUTS**-0.5,
    "b1": jnp.zeros(HIDDEN),
    "w2": jax.random.normal(keys[1], (HIDDEN, CLASSES)) * HIDDEN**-0.5,
}
xs = jax.random.normal(keys[2], (BATCH, INPUTS))
labels = jax.random.randint(keys[3], (BATCH,), 0, CLASSES)
norms(params, xs, labels)
train(params, keys[4], xs, labels)
