from typing import NamedTuple
import jax
import jax.numpy as jnp

class TrainState(NamedTuple):
    params: dict
    momentum: dict
    step: int

def init_params(key, sizes=(784, 128, 10)):
    params = {}
    for i, (m, n) in enumerate(zip(sizes[:-1], sizes[1:])):
        key, sub = jax.random.split(key)
        params[f"w{i}"] = jax.random.normal(sub, (m, n)) * jnp.sqrt(2.0 / m)
        params[f"b{i}"] = jnp.zeros(n)
    return params

def apply(params, x):
    h = jax.nn.relu(x @ params["w0"] + params["b0"])
    return h @ params["w1"] + params["b1"]

def loss_fn(params, batch):
    logits = apply(params, batch["image"])
    logp = jax.nn.log_softmax(logits)
    return -jnp.mean(jnp.take_along_axis(logp, batch["label"][:, None], axis=1))

@jax.jit
def train_step(state, batch):
    loss, grads = jax.value_and_grad(loss_fn)(state.params, batch)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, state.momentum, grads)
    params = jax.tree.map(lambda p, m: p - 0.1 * m, state.params, momentum)
    return TrainState(params, momentum, state.step + 1), {"loss": loss}

params = init_params(jax.random.PRNGKey(0))
state = TrainState(params, jax.tree.map(jnp.zeros_like, params), 0)
batch = {"image": jnp.ones((32, 784)), "label": jnp.arange(32) % 10}
for _ in range(2):
    state, metrics = train_step(state, batch)
print(metrics)
