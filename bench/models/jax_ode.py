"""A neural ODE: Runge-Kutta of fixed steps by scan with its gradient, and one of adapted steps"""

import jax
import jax.numpy as jnp

WIDTH, HIDDEN, BATCH, STEPS = 8, 32, 16, 20


def field(p, x):
    return jnp.tanh(x @ p["w1"] + p["b1"]) @ p["w2"]


def runge_kutta(p, x, h):
    k1 = field(p, x)
    k2 = field(p, x + h / 2 * k1)
    k3 = field(p, x + h / 2 * k2)
    k4 = field(p, x + h * k3)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@jax.jit
def train(p, x, target):
    def loss_fn(p):
        step = jax.checkpoint(lambda x, _: (runge_kutta(p, x, 1 / STEPS), None))
        end, _ = jax.lax.scan(step, x, None, length=STEPS)
        return jnp.mean((end - target) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(p)
    return jax.tree.map(lambda w, g: w - 0.1 * g, p, grads), loss


@jax.jit
def adaptive(p, x, end=1.0, tolerance=1e-4):
    def going_on(state):
        return state[1] < end

    def step(state):
        x, t, h = state
        h = jnp.minimum(h, end - t)
        k1 = field(p, x)
        k2 = field(p, x + h / 2 * k1)
        k3 = field(p, x + 3 * h / 4 * k2)
        third = x + h / 9 * (2 * k1 + 3 * k2 + 4 * k3)
        k4 = field(p, third)
        second = x + h / 24 * (7 * k1 + 6 * k2 + 8 * k3 + 3 * k4)
        error = jnp.max(jnp.abs(third - second)) + 1e-12
        good = error <= tolerance
        x, t = jnp.where(good, third, x), jnp.where(good, t + h, t)
        return x, t, h * jnp.clip(0.9 * (tolerance / error) ** (1 / 3), 0.2, 5.0)

    return jax.lax.while_loop(going_on, step, (x, 0.0, 0.1))[0]


keys = jax.random.split(jax.random.key(0), 4)
p = {
    "w1": jax.random.normal(keys[0], (WIDTH, HIDDEN)) * WIDTH**-0.5,
    "b1": jnp.zeros(HIDDEN),
    "w2": jax.random.normal(keys[1], (HIDDEN, WIDTH)) * HIDDEN**-0.5,
}
x, target = (jax.random.normal(k, (BATCH, WIDTH)) for k in keys[2:])
adaptive(p, x)
train(p, x, target)
