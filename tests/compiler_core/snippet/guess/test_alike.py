"""What a function goes over together is of one form; and other guesses at what holds parameters."""

import pytest

from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

JAX = "import dataclasses\nimport jax\nimport jax.numpy as jnp\n"
TORCH = "import torch\nfrom torch import nn\n"
# What is pasted, and what it is called with.
GUESSES = {
    "a velocity goes with the gradients": (
        JAX + "def loss(params, x, y):\n    w, b = params\n"
        "    return jnp.mean((x @ w + b - y) ** 2)\n"
        "@jax.jit\ndef step(params, velocity, x, y, lr=0.1, momentum=0.5):\n"
        "    grads = jax.grad(loss)(params, x, y)\n"
        "    velocity = jax.tree.map(lambda v, g: momentum * v - lr * g, velocity, grads)\n"
        "    return jax.tree.map(lambda p, v: p + v, params, velocity), velocity\n",
        "step((f32[256,256], f32[256]), (f32[256,256], f32[256]), f32[128,256], f32[128,256])",
    ),
    "a state has what is made": (
        JAX + "def init_params(key):\n    return {'w': jax.random.normal(key, (32, 10))}\n"
        "def loss_fn(params, batch):\n"
        "    return jnp.mean((batch['x'] @ params['w'] - batch['y']) ** 2)\n"
        "@jax.jit\ndef train_step(state, batch):\n"
        "    loss, grads = jax.value_and_grad(loss_fn)(state['params'], batch)\n"
        "    params = jax.tree.map(lambda p, g: p - 0.1 * g, state['params'], grads)\n"
        "    return {'params': params, 'step': state['step'] + 1}, loss\n",
        "train_step({'params': init_params(u32[2]), 'step': i32[]}, "
        "{'x': f32[128,32], 'y': f32[128,10]})",
    ),
    "a state of the snippet's class": (
        JAX + "from typing import Any, NamedTuple\n"
        "class State(NamedTuple):\n    params: Any\n    mu: Any\n    step: jnp.ndarray\n"
        "def init(key, d_in, d_out):\n    return {'w': jax.random.normal(key, (d_in, d_out))}\n"
        "def loss(params, x, y):\n    logp = jax.nn.log_softmax(x @ params['w'])\n"
        "    return -jnp.take_along_axis(logp, y[:, None], 1).mean()\n"
        "@jax.jit\ndef step(state: State, x, y):\n"
        "    g = jax.grad(loss)(state.params, x, y)\n"
        "    mu = jax.tree.map(lambda m, g: 0.9 * m + g, state.mu, g)\n"
        "    return State(jax.tree.map(jnp.subtract, state.params, mu), mu, state.step + 1)\n",
        "step(State(params=init(u32[2], 256, 256), mu=init(u32[2], 256, 256), step=i32[]), "
        "f32[128,256], i32[128])",
    ),
    "layers are tuples, of which an optimizer begins": (
        JAX + "from typing import Callable, NamedTuple\n"
        "class Transform(NamedTuple):\n    init: Callable\n    update: Callable\n"
        "def sgd(lr):\n    def init(params):\n        return jax.tree.map(jnp.zeros_like, params)\n"
        "    def update(grads, state):\n"
        "        return jax.tree.map(lambda g, t: 0.5 * t - lr * g, grads, state), state\n"
        "    return Transform(init, update)\n"
        "opt = sgd(0.1)\n"
        "def mlp(params, x):\n    for w, b in params[:-1]:\n"
        "        x = jax.nn.relu(x @ w + b)\n    w, b = params[-1]\n    return x @ w + b\n"
        "@jax.jit\ndef step(params, opt_state, x):\n"
        "    grads = jax.grad(lambda p: mlp(p, x).mean())(params)\n"
        "    return opt.update(grads, opt_state)\n",
        "step([(f32[256,256], f32[256]), (f32[256,256], f32[256])], "
        "opt.init(params), f32[128,256])",
    ),
    "moments are counted": (
        JAX + "def adam_init(params):\n    return {'m': params, 't': 0}\n"
        "def adam(grads, state, params):\n    t = state['t'] + 1\n"
        "    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state['m'], grads)\n"
        "    new = jax.tree.map(lambda p, m: p - m / (1 - 0.9 ** t), params, m)\n"
        "    return new, {'m': m, 't': t}\n",
        "adam(f32[128,256], {'t': i32[], 'm': f32[128,256]}, f32[128,256])",
    ),
    "the value after the last is a number": (
        JAX + "def gae(traj, last_val):\n    def step(carry, t):\n"
        "        adv, following = carry\n"
        "        adv = t['reward'] + 0.99 * following * (1 - t['done']) - t['value'] + 0.9 * adv\n"
        "        return (adv, t['value']), adv\n"
        "    return jax.lax.scan(step, (jnp.zeros_like(last_val), last_val), traj)[1]\n"
        "@jax.jit\ndef update(traj, last_val):\n    return gae(traj, last_val) * 2\n",
        "update({'reward': f32[128], 'done': f32[128], 'value': f32[128]}, f32[])",
    ),
    "a norm is a vector": (
        JAX + "def block(p, x):\n    b, t, c = x.shape\n"
        "    return (x * p['ln_1']) @ p['w']\n",
        "block({'ln_1': f32[256], 'w': f32[256,256]}, f32[8,32,256])",
    ),
    "a state that begins as zeros": (
        JAX + "def cell(p, carry, x):\n    h, c = carry\n"
        "    i, f, g, o = jnp.split(x @ p['wx'] + h @ p['wh'] + p['b'], 4, axis=-1)\n"
        "    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)\n"
        "    h = jax.nn.sigmoid(o) * jnp.tanh(c)\n    return (h, c), h\n"
        "def lstm(p, xs):\n    zero = jnp.zeros((xs.shape[0], p['wh'].shape[0]))\n"
        "    carry = (zero, zero)\n"
        "    step = lambda c, x: cell(p, c, x)\n"
        "    _, hs = jax.lax.scan(step, carry, jnp.swapaxes(xs, 0, 1))\n"
        "    return jnp.swapaxes(hs, 0, 1) @ p['wo']\n",
        "lstm({'wh': f32[256,1024], 'wx': f32[256,1024], 'b': f32[1024], 'wo': f32[256,256]}, "
        "f32[8,32,256])",
    ),
    "an object of a class that is no pytree": (
        JAX + "@dataclasses.dataclass\nclass Batch:\n    x: jnp.ndarray\n    y: jnp.ndarray\n"
        "def loss(w, batch: Batch):\n    return jnp.mean((batch.x @ w - batch.y) ** 2)\n"
        "def step(w, batch: Batch):\n    return w - 0.1 * jax.grad(loss)(w, batch)\n",
        "step(f32[256,256], Batch(x=f32[128,256], y=f32[128,256]))",
    ),
    "a node's graph": (
        TORCH + "def pool(x, batch):\n    n = int(batch.max()) + 1\n"
        "    return torch.zeros(n, x.size(1)).index_add_(0, batch, x)\n",
        "pool(f32[128,256], i64[128])",
    ),
    "actions that are joined with what is observed": (
        TORCH + "class Critic(nn.Module):\n    def __init__(self, obs_dim, act_dim):\n"
        "        super().__init__()\n        self.l = nn.Linear(obs_dim, 1)\n"
        "        self.m = nn.Linear(act_dim, 1)\n"
        "    def forward(self, x, a):\n        return self.l(x) + self.m(a)\n"
        "def loss(critic, data):\n    q = critic(data.observations, data.actions).view(-1)\n"
        "    return (q - data.rewards.flatten()).square().mean()\n",
        "loss(Critic(obs_dim=16, act_dim=10), SimpleNamespace(observations=f32[128,16], "
        "actions=f32[128,10], rewards=f32[128]))",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GUESSES)
def test_the_guess(name):
    source, call = GUESSES[name]
    found = explore(source)
    assert call in [p.assumed for p in found.programs], [n.text for n in found.notices]
