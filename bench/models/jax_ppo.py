"""PPO in JAX: advantages by a reversed scan, and epochs of clipped steps in a second one"""

import jax
import jax.numpy as jnp

STEPS, ENVIRONMENTS, OBSERVED, ACTIONS, WIDTH = 32, 8, 8, 4, 64


@jax.jit
def advantages(rewards, values, done, last):
    def step(carry, now):
        advantage, following = carry
        reward, value, ended = now
        delta = reward + 0.99 * following * (1 - ended) - value
        advantage = delta + 0.99 * 0.95 * (1 - ended) * advantage
        return (advantage, value), advantage

    start = (jnp.zeros_like(last), last)
    return jax.lax.scan(step, start, (rewards, values, done), reverse=True)[1]


def model(p, x):
    h = jnp.tanh(jnp.tanh(x @ p["w1"]) @ p["w2"])
    return jax.nn.log_softmax(h @ p["policy"]), (h @ p["value"])[..., 0]


def loss_fn(p, observed, actions, old, advantage, returns):
    log_odds, value = model(p, observed)
    chosen = jnp.take_along_axis(log_odds, actions[..., None], axis=-1)[..., 0]
    ratio = jnp.exp(chosen - old)
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    surrogate = jnp.minimum(ratio * advantage, jnp.clip(ratio, 0.8, 1.2) * advantage).mean()
    entropy = -(jnp.exp(log_odds) * log_odds).sum(-1).mean()
    return -surrogate + 0.5 * jnp.mean((value - returns) ** 2) - 0.01 * entropy


@jax.jit
def train(p, *batch):
    def epoch(p, _):
        loss, grads = jax.value_and_grad(loss_fn)(p, *batch)
        return jax.tree.map(lambda w, g: w - 0.05 * g, p, grads), loss

    return jax.lax.scan(epoch, p, None, length=4)


keys = jax.random.split(jax.random.key(0), 9)
p = {
    "w1": jax.random.normal(keys[0], (OBSERVED, WIDTH)) * OBSERVED**-0.5,
    "w2": jax.random.normal(keys[1], (WIDTH, WIDTH)) * WIDTH**-0.5,
    "policy": jax.random.normal(keys[2], (WIDTH, ACTIONS)) * 0.1,
    "value": jax.random.normal(keys[3], (WIDTH, 1)) * 0.1,
}
shape = (STEPS, ENVIRONMENTS)
observed = jax.random.normal(keys[4], (*shape, OBSERVED))
actions = jax.random.randint(keys[5], shape, 0, ACTIONS)
log_odds, values = model(p, observed)
old = jnp.take_along_axis(log_odds, actions[..., None], axis=-1)[..., 0]
done = jax.random.bernoulli(keys[6], 0.05, shape).astype(float)
advantage = advantages(
    jax.random.normal(keys[7], shape), values, done, jax.random.normal(keys[8], (ENVIRONMENTS,))
)
train(p, observed, actions, old, advantage, advantage + values)
