# Dormand-Prince RK45 with adaptive steps, and a neural ODE through it
import jax
import jax.numpy as jnp
from functools import partial

alpha = jnp.array([1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0, 0])
beta = jnp.array([
    [1 / 5, 0, 0, 0, 0, 0, 0],
    [3 / 40, 9 / 40, 0, 0, 0, 0, 0],
    [44 / 45, -56 / 15, 32 / 9, 0, 0, 0, 0],
    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0, 0],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0, 0],
    [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0],
])
c_sol = jnp.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0])
c_err = jnp.array([35 / 384 - 1951 / 21600, 0, 500 / 1113 - 22642 / 50085, 125 / 192 - 451 / 720, -2187 / 6784 + 12231 / 42400, 11 / 84 - 649 / 6300, -1.0 / 60.0])


def rk_step(func, y0, f0, t0, dt):
    def body(i, k):
        ti = t0 + dt * alpha[i - 1]
        yi = y0 + dt * jnp.dot(beta[i - 1, :], k)
        return k.at[i, :].set(func(yi, ti))
    k = jnp.zeros((7, f0.shape[0]), f0.dtype).at[0, :].set(f0)
    k = jax.lax.fori_loop(1, 7, body, k)
    return dt * jnp.dot(c_sol, k) + y0, k[-1], dt * jnp.dot(c_err, k)


@partial(jax.jit, static_argnums=0)
def odeint(func, y0, t1, rtol=1e-4, atol=1e-6):
    def cond(s):
        y, f, t, dt, n = s
        return (t < t1) & (n < 500)

    def body(s):
        y, f, t, dt, n = s
        dt = jnp.minimum(dt, t1 - t)
        y2, f2, err = rk_step(func, y, f, t, dt)
        ratio = jnp.sqrt(jnp.mean((err / (atol + rtol * jnp.maximum(jnp.abs(y), jnp.abs(y2)))) ** 2))
        ok = ratio <= 1.0
        factor = jnp.clip(0.9 * ratio ** (-0.2), 0.2, 10.0)
        factor = jnp.where(ratio == 0, 10.0, factor)
        return jnp.where(ok, y2, y), jnp.where(ok, f2, f), jnp.where(ok, t + dt, t), dt * factor, n + 1

    y, f, t, dt, n = jax.lax.while_loop(cond, body, (y0, func(y0, 0.0), 0.0, 0.01, 0))
    return y, n


def lorenz(y, t):
    x, y, z = y
    return jnp.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8 / 3 * z])


print(odeint(lorenz, jnp.array([1.0, 1.0, 1.0]), 0.5))
