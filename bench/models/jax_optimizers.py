"""Optimizers in JAX over a tree of many arrays: Adam, and Muon by Newton-Schulz"""

import jax
import jax.numpy as jnp


@jax.jit
def adam(params, grads, first, second, count):
    count = count + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, grads)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * jnp.square(g), second, grads)
    scale = jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    params = jax.tree.map(
        lambda p, m, v: p - 1e-3 * scale * m / (jnp.sqrt(v) + 1e-8), params, first, second
    )
    return params, first, second, count


def orthogonal(G):
    a, b, c = 3.4445, -4.7750, 2.0315
    X = G / (jnp.linalg.norm(G) + 1e-7)
    for _ in range(5):
        A = X @ X.T
        X = a * X + (b * A + c * A @ A) @ X
    return X


@jax.jit
def muon(weights, grads, momenta):
    momenta = jax.tree.map(lambda m, g: 0.95 * m + g, momenta, grads)
    updates = jax.tree.map(lambda m, g: jax.vmap(orthogonal)(g + 0.95 * m), momenta, grads)
    return jax.tree.map(lambda w, u: w - 0.02 * u, weights, updates), momenta


def like(tree, seed):
    leaves, structure = jax.tree.flatten(tree)
    keys = jax.random.split(jax.random.key(seed), len(leaves))
    return structure.unflatten([jax.random.normal(k, x.shape) for k, x in zip(keys, leaves)])


layer = {"qkv": jnp.ones((64, 192)), "out": jnp.ones((64, 64)), "norm": jnp.ones(64)}
params = like([layer] * 6, 0)
zeros = jax.tree.map(jnp.zeros_like, params)
adam(params, like(params, 1), zeros, zeros, jnp.array(0))

weights = like({"attention": jnp.ones((4, 32, 32)), "mlp": jnp.ones((4, 32, 64))}, 2)
muon(weights, like(weights, 3), jax.tree.map(jnp.zeros_like, weights))
