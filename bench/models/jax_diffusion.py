"""Diffusion in JAX: all of sampling as one fori_loop, and a training step"""

import jax
import jax.numpy as jnp

STEPS, WIDTH, HIDDEN = 20, 16, 128
betas = jnp.linspace(1e-4, 0.2, STEPS)
kept = jnp.cumprod(1 - betas)


def denoise(p, x, t):
    angles = t[:, None] * jnp.exp(-jnp.arange(8) * 0.5)
    h = jnp.concatenate([x, jnp.sin(angles), jnp.cos(angles)], axis=-1)
    h = jax.nn.silu(h @ p["w1"] + p["b1"])
    h = h + jax.nn.silu(h @ p["w2"] + p["b2"])
    return h @ p["w3"]


@jax.jit
def sample(p, key, x):
    def step(i, state):
        x, key = state
        t = STEPS - 1 - i
        key, part = jax.random.split(key)
        noise = denoise(p, x, jnp.full(x.shape[:1], t))
        mean = (x - betas[t] / jnp.sqrt(1 - kept[t]) * noise) / jnp.sqrt(1 - betas[t])
        fresh = jnp.sqrt(betas[t]) * jax.random.normal(part, x.shape)
        return jnp.where(t > 0, mean + fresh, mean), key

    return jax.lax.fori_loop(0, STEPS, step, (x, key))[0]


@jax.jit
def train(p, key, x):
    of_time, of_noise = jax.random.split(key)
    t = jax.random.randint(of_time, x.shape[:1], 0, STEPS)
    noise = jax.random.normal(of_noise, x.shape)
    share = kept[t][:, None]

    def loss_fn(p):
        found = denoise(p, jnp.sqrt(share) * x + jnp.sqrt(1 - share) * noise, t)
        return jnp.mean((found - noise) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(p)
    return jax.tree.map(lambda w, g: w - 0.01 * g, p, grads), loss


keys = jax.random.split(jax.random.key(0), 5)
p = {
    "w1": jax.random.normal(keys[0], (WIDTH + 16, HIDDEN)) * (WIDTH + 16) ** -0.5,
    "b1": jnp.zeros(HIDDEN),
    "w2": jax.random.normal(keys[1], (HIDDEN, HIDDEN)) * HIDDEN**-0.5,
    "b2": jnp.zeros(HIDDEN),
    "w3": jax.random.normal(keys[2], (HIDDEN, WIDTH)) * HIDDEN**-0.5,
}
x = jax.random.normal(keys[3], (64, WIDTH))
sample(p, keys[4], x)
train(p, keys[4], x)
