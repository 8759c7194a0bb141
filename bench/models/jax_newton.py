"""Newton's method in a while loop: square roots of many numbers, and a system by its Jacobian"""

import jax
import jax.numpy as jnp


@jax.jit
def roots(a):
    def going_on(state):
        _, step = state
        return jnp.max(jnp.abs(step)) > 1e-6

    def newton(state):
        x, _ = state
        step = (x * x - a) / (2 * x)
        return x - step, step

    return jax.lax.while_loop(going_on, newton, (a, a))[0]


def residual(x):
    """Twice x's discrete Laplacian, plus a cubic, minus a source."""
    around = jnp.pad(x, 1)
    return 2 * x - 0.5 * (around[:-2] + around[2:]) + 0.1 * x**3 - 1.0


@jax.jit
def solve(x):
    def going_on(state):
        x, count = state
        return (jnp.linalg.norm(residual(x)) > 1e-5) & (count < 20)

    def newton(state):
        x, count = state
        return x - jnp.linalg.solve(jax.jacfwd(residual)(x), residual(x)), count + 1

    return jax.lax.while_loop(going_on, newton, (x, 0))


roots(jnp.linspace(0.5, 10.0, 4096))
solve(jnp.zeros(24))
