"""What a training step is given that nothing calls: a module of the snippet, an optimizer of its
parameters, a batch as a dict, a tuple or a named tuple, a loader."""

import pytest

from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

NET = """
import torch
import torch.nn.functional as F
from collections import namedtuple
from torch import nn, optim

class QNet(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.body = nn.Linear(n_obs, 32)
        self.head = nn.Linear(32, n_actions)

    def forward(self, x):
        return self.head(F.relu(self.body(x)))
"""
Q = "QNet(n_obs=16, n_actions=10)"
ADAM = "torch.optim.Adam({}.parameters())"
# A training step, and what it is run as.
STEPS = {
    "dict": (
        "def ppo_update(model, optimizer, batch, clip=0.2):\n"
        "    logp = F.log_softmax(model(batch['obs']), -1)\n"
        "    logp = logp.gather(1, batch['actions'][:, None])[:, 0]\n"
        "    ratio = torch.exp(logp - batch['old_logp'])\n"
        "    adv = batch['adv']\n"
        "    adv = (adv - adv.mean()) / (adv.std() + 1e-8)\n"
        "    loss = -torch.min(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv).mean()\n"
        "    optimizer.zero_grad()\n    loss.backward()\n"
        "    nn.utils.clip_grad_norm_(model.parameters(), 0.5)\n"
        "    optimizer.step()\n    return loss.item()",
        f"ppo_update({Q}, {ADAM.format('model')}, {{'obs': f32[128,16], 'actions': i64[128], "
        "'old_logp': f32[128], 'adv': f32[128]})",
    ),
    "keys that are gone over": (
        "def learn(net, optimizer, batch):\n"
        "    obs, ret = (batch[k] for k in ('obs', 'returns'))\n"
        "    loss = (net(obs).mean(-1) - ret).square().mean()\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()",
        f"learn({Q}, {ADAM.format('net')}, {{'obs': f32[128,16], 'returns': f32[128]}})",
    ),
    "actions of a distribution": (
        "class Policy(nn.Module):\n    def __init__(self, obs_dim=17, act_dim=6):\n"
        "        super().__init__()\n        self.mean = nn.Linear(obs_dim, act_dim)\n"
        "    def evaluate(self, obs, act):\n"
        "        d = torch.distributions.Normal(self.mean(obs), 1.0)\n"
        "        return d.log_prob(act).sum(-1)\n"
        "def learn(policy, optimizer, batch):\n"
        "    obs, act, ret = (batch[k] for k in ('obs', 'act', 'ret'))\n"
        "    loss = -(policy.evaluate(obs, act) * ret).mean()\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()",
        f"learn(Policy(), {ADAM.format('policy')}, "
        "{'obs': f32[128,17], 'act': f32[128,6], 'ret': f32[128]})",
    ),
    "tuple": (
        "def update(policy_net, target_net, optimizer, batch, gamma=0.99):\n"
        "    states, actions, next_states, rewards, dones = batch\n"
        "    q = policy_net(states).gather(1, actions.unsqueeze(1)).squeeze(1)\n"
        "    with torch.no_grad():\n"
        "        best = target_net(next_states).max(1).values\n"
        "        target = rewards + gamma * best * (1 - dones)\n"
        "    loss = F.smooth_l1_loss(q, target)\n"
        "    optimizer.zero_grad()\n    loss.backward()\n"
        "    nn.utils.clip_grad_value_(policy_net.parameters(), 100)\n"
        "    optimizer.step()\n    return loss",
        f"update({Q}, {Q}, {ADAM.format('policy_net')}, "
        "(f32[128,16], i64[128], f32[128,16], f32[128], f32[128]))",
    ),
    "of the snippet's own model": (
        "model = QNet(24, 10)\noptimizer = optim.Adam(model.parameters())\n"
        "def train(epoch, train_loader):\n    model.train()\n    total = 0\n"
        "    for i, (data, _) in enumerate(train_loader):\n"
        "        optimizer.zero_grad()\n        loss = model(data).square().mean()\n"
        "        loss.backward()\n        optimizer.step()\n        total += loss.item()\n"
        "    return total / len(train_loader)",
        "train(1, [(f32[128,24], f32[128,24]), (f32[128,24], f32[128,24])])",
    ),
    "named tuple": (
        "Transition = namedtuple('Transition', ('state', 'action', 'next_state', 'reward'))\n"
        "def learn(net, opt, batch):\n"
        "    q = net(batch.state).gather(1, batch.action[:, None])[:, 0]\n"
        "    target = batch.reward + net(batch.next_state).detach().amax(1)\n"
        "    loss = (q - target).pow(2).mean()\n"
        "    opt.zero_grad()\n    loss.backward()\n    opt.step()",
        f"learn({Q}, {ADAM.format('net')}, Transition(state=f32[128,16], action=i64[128], "
        "next_state=f32[128,16], reward=f32[128]))",
    ),
    "scheduler and scaler": (
        "def step(model, x, y, optimizer, scheduler, scaler):\n"
        "    optimizer.zero_grad()\n"
        "    with torch.autocast('cpu', dtype=torch.bfloat16):\n"
        "        loss = F.mse_loss(model(x).float(), y)\n"
        "    scaler.scale(loss).backward()\n    scaler.step(optimizer)\n    scaler.update()\n"
        "    scheduler.step()\n    return loss",
        f"step({Q}, f32[128,16], f32[128,10], {ADAM.format('model')}, "
        "torch.optim.lr_scheduler.StepLR(optimizer, 1), torch.amp.GradScaler('cpu'))",
    ),
    "gradients of the module": (
        "def step(model, x, y, opt):\n    model.zero_grad()\n"
        "    F.cross_entropy(model(x), y).backward()\n    opt.step()",
        f"step({Q}, f32[128,16], i64[128], {ADAM.format('model')})",
    ),
    "loader": (
        "def train(model, train_loader, optimizer, criterion):\n"
        "    model.train()\n    total = 0.0\n"
        "    for i, (images, labels) in enumerate(train_loader):\n"
        "        optimizer.zero_grad()\n"
        "        loss = criterion(model(images), labels)\n"
        "        loss.backward()\n        optimizer.step()\n"
        "        total += loss.item()\n"
        "    return total / len(train_loader)",
        None,
    ),
    "images on a device": (
        "class Small(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.c = nn.Conv2d(1, 4, 3)\n        self.f = nn.Linear(4, 10)\n"
        "    def forward(self, x):\n        return self.f(self.c(x).mean((2, 3))).log_softmax(1)\n"
        "def train(args, small, device, train_loader, optimizer, epoch):\n    small.train()\n"
        "    for i, (data, target) in enumerate(train_loader):\n"
        "        data, target = data.to(device), target.to(device)\n"
        "        optimizer.zero_grad()\n        loss = F.nll_loss(small(data), target)\n"
        "        loss.backward()\n        optimizer.step()\n"
        "        if i % args.log_interval == 0:\n            print(epoch, loss.item())",
        "train(SimpleNamespace(log_interval=64), Small(), 'cpu', [(f32[8,1,32,32], i64[8]), "
        f"(f32[8,1,32,32], i64[8])], {ADAM.format('small')}, 1)",
    ),
    "what the module reads": (
        "class GraphNet(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.l = nn.Linear(16, 10)\n    def forward(self, data):\n"
        "        src, dst = data.edge_index\n        h = self.l(data.x)\n"
        "        return h.index_add(0, dst, h[src]).log_softmax(1)\n"
        "def train(graph_net, data, optimizer):\n    optimizer.zero_grad()\n"
        "    loss = F.nll_loss(graph_net(data), data.y)\n"
        "    loss.backward()\n    optimizer.step()\n    return loss.item()",
        f"train(GraphNet(), SimpleNamespace(y=i64[128], edge_index=i64[2,512], x=f32[128,16]), "
        f"{ADAM.format('graph_net')})",
    ),
    "texts": (
        "class Classifier(nn.Module):\n    def __init__(self, vocab_size, num_classes):\n"
        "        super().__init__()\n        self.e = nn.Embedding(vocab_size, 16)\n"
        "        self.f = nn.Linear(16, num_classes)\n"
        "    def forward(self, input_ids, attention_mask):\n"
        "        x = self.e(input_ids) * attention_mask.unsqueeze(-1)\n"
        "        return self.f(x.mean(1))\n"
        "def training_step(classifier, batch, optimizer):\n    classifier.train()\n"
        "    out = classifier(batch['input_ids'], batch['attention_mask'])\n"
        "    loss = F.cross_entropy(out, batch['labels'])\n    loss.backward()\n"
        "    optimizer.step()\n    optimizer.zero_grad()\n    return loss.detach()",
        "training_step(Classifier(vocab_size=1000, num_classes=10), {'input_ids': i64[8,32], "
        "'attention_mask': i64[8,32]~constant(1), 'labels': i64[8]}, "
        f"{ADAM.format('classifier')})",
    ),
    "probabilities": (
        "class Auto(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.f = nn.Linear(16, 16)\n    def forward(self, x):\n"
        "        return self.f(x).sigmoid()\n"
        "def train_step(auto, optimizer, data):\n    optimizer.zero_grad()\n"
        "    loss = F.binary_cross_entropy(auto(data), data)\n    loss.backward()\n"
        "    optimizer.step()\n    return loss.item()",
        f"train_step(Auto(), {ADAM.format('auto')}, f32[128,16]~uniform(0,1))",
    ),
    "a method of the module": (
        "class Actor(nn.Module):\n    def __init__(self, obs_dim, act_dim):\n"
        "        super().__init__()\n        self.mean = nn.Linear(obs_dim, act_dim)\n"
        "    def forward(self, x):\n        return self.mean(x)\n"
        "    def get_action(self, x):\n        return self(x).tanh()\n"
        "def improve(actor, actor_optimizer, obs):\n"
        "    loss = -actor.get_action(obs).mean()\n"
        "    actor_optimizer.zero_grad()\n    loss.backward()\n    actor_optimizer.step()\n"
        "    return loss",
        f"improve(Actor(obs_dim=16, act_dim=10), {ADAM.format('actor')}, f32[128,16])",
    ),
    "two": (
        "class Generator(nn.Module):\n"
        "    def __init__(self, latent_dim):\n        super().__init__()\n"
        "        self.l = nn.Linear(latent_dim, 8)\n"
        "    def forward(self, z):\n        return self.l(z)\n"
        "class Critic(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(8, 1)\n"
        "    def forward(self, x):\n        return self.l(x)\n"
        "def gan_step(generator, critic, opt_g, opt_c, z, real):\n"
        "    fake = generator(z)\n"
        "    loss = critic(fake.detach()).mean() - critic(real).mean()\n"
        "    opt_c.zero_grad()\n    loss.backward()\n    opt_c.step()\n"
        "    loss_g = -critic(fake).mean()\n"
        "    opt_g.zero_grad()\n    loss_g.backward()\n    opt_g.step()\n"
        "    return loss, loss_g",
        f"gan_step(Generator(latent_dim=16), Critic(), {ADAM.format('generator')}, "
        f"{ADAM.format('critic')}, f32[128,16], f32[128,8])",
    ),
}
JAX = """
import jax
import jax.numpy as jnp
from typing import NamedTuple

class Transition(NamedTuple):
    done: jnp.ndarray
    value: jnp.ndarray
    reward: jnp.ndarray

def gae(traj_batch, last_val, gamma=0.99, lam=0.95):
    def body(carry, t):
        adv, after = carry
        delta = t.reward + gamma * after * (1 - t.done) - t.value
        adv = delta + gamma * lam * (1 - t.done) * adv
        return (adv, t.value), adv
    _, adv = jax.lax.scan(body, (jnp.zeros_like(last_val), last_val), traj_batch, reverse=True)
    return adv, adv + traj_batch.value
"""


@pytest.mark.parametrize("name", STEPS)
def test_the_guess(name):
    source, call = STEPS[name]
    found = explore(NET + source)
    assert found.error is None, found.error
    own = {p.name: p.assumed for p in found.programs}
    step = source.rpartition("def ")[2].partition("(")[0]
    assert step in own, (own, [n.text for n in found.notices])
    assert call is None or own[step] == call


def test_what_has_the_fields_that_are_read_is_of_the_class_that_has_them():
    found = explore(JAX)
    assert [p.name for p in found.programs] == ["gae"], [n.text for n in found.notices]
    assert found.programs[0].assumed.startswith("gae(Transition(")


OPTAX = """
import jax
import jax.numpy as jnp
import optax
from typing import Any, NamedTuple

class TrainState(NamedTuple):
    params: Any
    opt_state: Any
    step: int

def init_net(key, sizes=(784, 32, 10)):
    keys = jax.random.split(key, len(sizes) - 1)
    pairs = zip(keys, sizes[:-1], sizes[1:])
    return [(jax.random.normal(k, (m, n)), jnp.zeros(n)) for k, m, n in pairs]

def loss_fn(params, x, y):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return optax.softmax_cross_entropy_with_integer_labels(x @ w + b, y).mean()

tx = optax.adamw(1e-3)
"""
UPDATES = {
    "apart": (
        "@jax.jit\ndef train_step(params, opt_state, images, labels):\n"
        "    loss, grads = jax.value_and_grad(loss_fn)(params, images, labels)\n"
        "    updates, opt_state = tx.update(grads, opt_state, params)\n"
        "    return optax.apply_updates(params, updates), opt_state, loss\n",
        "train_step(init_net(u32[2]), tx.init(init_net(u32[2])), f32[128,784], i32[128])",
    ),
    "in one": (
        "@jax.jit\ndef train_step(state, images, labels):\n"
        "    loss, grads = jax.value_and_grad(loss_fn)(state.params, images, labels)\n"
        "    updates, opt_state = tx.update(grads, state.opt_state, state.params)\n"
        "    params = optax.apply_updates(state.params, updates)\n"
        "    return TrainState(params, opt_state, state.step + 1), loss\n",
        "train_step(TrainState(params=init_net(u32[2]), opt_state=tx.init(init_net(u32[2])), "
        "step=1), f32[128,784], i32[128])",
    ),
}


@pytest.mark.parametrize("name", UPDATES)
def test_of_optax_the_state_is_what_the_optimizer_begins_with(name):
    source, call = UPDATES[name]
    found = explore(OPTAX + source)
    assert [p.assumed for p in found.programs] == [call], [n.text for n in found.notices]
