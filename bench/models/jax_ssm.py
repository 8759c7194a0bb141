"""A diagonal state-space layer in JAX: a linear recurrence by lax.associative_scan"""

import jax
import jax.numpy as jnp

WIDTH, STATE, LENGTH, BATCH = 32, 16, 64, 4


def ssm(p, u):
    """u: [length, width], one sequence"""
    step = jax.nn.softplus(u @ p["step"])
    decay = jnp.exp(-step[:, :, None] * jnp.exp(p["A"]))
    driven = (step * u)[:, :, None] * (u @ p["B"])[:, None]

    def combine(left, right):
        return left[0] * right[0], right[0] * left[1] + right[1]

    _, states = jax.lax.associative_scan(combine, (decay, driven))
    return jnp.einsum("lds,ls->ld", states, u @ p["C"]) + p["D"] * u


@jax.jit
def forward(p, u):
    return u + jax.nn.gelu(jax.vmap(ssm, in_axes=(None, 0))(p, u)) @ p["out"]


@jax.jit
def train(p, u, target):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((forward(p, u) - target) ** 2))(p)
    return jax.tree.map(lambda w, g: w - 0.01 * g, p, grads), loss


keys = jax.random.split(jax.random.key(0), 6)
p = {
    "step": jax.random.normal(keys[0], (WIDTH, WIDTH)) * 0.1,
    "A": jnp.log(jnp.tile(jnp.arange(1.0, STATE + 1), (WIDTH, 1))),
    "B": jax.random.normal(keys[1], (WIDTH, STATE)) * WIDTH**-0.5,
    "C": jax.random.normal(keys[2], (WIDTH, STATE)) * WIDTH**-0.5,
    "D": jnp.ones(WIDTH),
    "out": jax.random.normal(keys[3], (WIDTH, WIDTH)) * WIDTH**-0.5,
}
u, target = (jax.random.normal(k, (BATCH, LENGTH, WIDTH)) for k in keys[4:])
forward(p, u)
train(p, u, target)
