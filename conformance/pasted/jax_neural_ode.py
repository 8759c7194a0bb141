import jax
import jax.numpy as jnp
from jax import lax

def mlp(params, y, t):
    h = jnp.concatenate([y, jnp.ones((1,)) * t])
    for w, b in params[:-1]:
        h = jnp.tanh(w @ h + b)
    w, b = params[-1]
    return w @ h + b

def rk4(f, y0, ts):
    def body(y, tt):
        t, dt = tt
        k1 = f(y, t)
        k2 = f(y + dt / 2 * k1, t + dt / 2)
        k3 = f(y + dt / 2 * k2, t + dt / 2)
        k4 = f(y + dt * k3, t + dt)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return y, y
    _, ys = lax.scan(body, y0, (ts[:-1], jnp.diff(ts)))
    return jnp.concatenate([y0[None], ys])

def loss(params, y0s, ts, target):
    pred = jax.vmap(lambda y: rk4(lambda s, t: mlp(params, s, t), y, ts))(y0s)
    return jnp.mean(jnp.abs(pred - target))

key = jax.random.key(0)
ks = jax.random.split(key, 4)
params = [(jax.random.normal(ks[0], (16, 3)) * 0.5, jnp.zeros(16)), (jax.random.normal(ks[1], (2, 16)) * 0.5, jnp.zeros(2))]
ts = jnp.linspace(0.0, 1.0, 11)
y0s = jax.random.normal(ks[2], (8, 2))
target = jax.random.normal(ks[3], (8, 11, 2))
l, g = jax.jit(jax.value_and_grad(loss))(params, y0s, ts, target)
print(l)
