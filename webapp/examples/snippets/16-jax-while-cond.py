"""Newton's square root until it stands still, and a branch"""

# inputs: f32[64,1024]

import jax.numpy as jnp
from jax import lax


def roots(x):
    a = x * x + 1

    def moves(state):
        _, change = state
        return change > 1e-3

    def improve(state):
        root, _ = state
        better = (root + a / root) / 2
        return better, jnp.abs(better - root).max()

    root, _ = lax.while_loop(moves, improve, (a, jnp.float32(1)))
    return lax.cond(root.max() > 2, lambda r: r / r.max(), lambda r: r, root)
