# small: f32[64]~uniform(1,4)
# medium: f32[4096]~uniform(1,4)
# large: f32[1048576]~uniform(1,4)
# dtypes: f32
import jax.numpy as jnp
from jax import lax


def f(a):
    def again(state):
        x, last = state
        return jnp.abs(x - last).max() > 1e-5

    def step(state):
        x, _ = state
        return 0.5 * (x + a / x), x

    return lax.while_loop(again, step, (a, jnp.zeros_like(a)))[0]
