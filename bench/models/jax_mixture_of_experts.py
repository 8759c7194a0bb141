"""A mixture of experts in JAX: top two by lax.top_k, tokens to slots by a scatter and back"""

import jax
import jax.numpy as jnp

WIDTH, HIDDEN, EXPERTS, CHOSEN, TOKENS, CAPACITY = 32, 64, 8, 2, 64, 24


@jax.jit
def forward(p, x):
    odds = jax.nn.softmax(x @ p["router"])
    weights, experts = jax.lax.top_k(odds, CHOSEN)
    weights = weights / weights.sum(-1, keepdims=True)
    expert, token = experts.reshape(-1), jnp.repeat(jnp.arange(TOKENS), CHOSEN)
    place = (jnp.cumsum(jax.nn.one_hot(expert, EXPERTS, dtype=int), axis=0) - 1)[
        jnp.arange(expert.size), expert
    ]
    slots = jnp.zeros((EXPERTS, CAPACITY, WIDTH)).at[expert, place].set(x[token], mode="drop")
    hidden = jax.nn.silu(jnp.einsum("ecd,edh->ech", slots, p["up"]))
    outputs = jnp.einsum("ech,ehd->ecd", hidden, p["down"])
    back = outputs.at[expert, place].get(mode="fill", fill_value=0)
    return x + jax.ops.segment_sum(back * weights.reshape(-1, 1), token, TOKENS)


@jax.jit
def train(p, x, target):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((forward(p, x) - target) ** 2))(p)
    return jax.tree.map(lambda w, g: w - 0.1 * g, p, grads), loss


keys = jax.random.split(jax.random.key(0), 5)
p = {
    "router": jax.random.normal(keys[0], (WIDTH, EXPERTS)),
    "up": jax.random.normal(keys[1], (EXPERTS, WIDTH, HIDDEN)) * WIDTH**-0.5,
    "down": jax.random.normal(keys[2], (EXPERTS, HIDDEN, WIDTH)) * HIDDEN**-0.5,
}
x, target = (jax.random.normal(k, (TOKENS, WIDTH)) for k in keys[3:])
forward(p, x)
train(p, x, target)
