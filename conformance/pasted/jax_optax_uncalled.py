import jax
import jax.numpy as jnp
import optax
from typing import Any, NamedTuple

class TrainState(NamedTuple):
    params: Any
    opt_state: Any
    step: int

def init_mlp(key, sizes=(784, 128, 10)):
    keys = jax.random.split(key, len(sizes) - 1)
    return [(jax.random.normal(k, (m, n)) * jnp.sqrt(2 / m), jnp.zeros(n)) for k, m, n in zip(keys, sizes[:-1], sizes[1:])]

def forward(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return x @ w + b

def loss_fn(params, batch):
    x, y = batch
    return optax.softmax_cross_entropy_with_integer_labels(forward(params, x), y).mean()

tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))

@jax.jit
def train_step(state, batch):
    loss, grads = jax.value_and_grad(loss_fn)(state.params, batch)
    updates, opt_state = tx.update(grads, state.opt_state, state.params)
    return TrainState(optax.apply_updates(state.params, updates), opt_state, state.step + 1), loss

@jax.jit
def accuracy(params, images, labels):
    return jnp.mean(jnp.argmax(forward(params, images), -1) == labels)
