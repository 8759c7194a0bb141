"""Sizes that do not fit are mended by what the framework says of them."""

import pytest
import torch

from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

MERGING = """
import torch
from torch import nn
class Merging(nn.Module):
    def __init__(self, resolution, dim):
        super().__init__()
        self.resolution = resolution
        self.reduction = nn.Linear(4 * dim, 2 * dim)
        self.norm = nn.LayerNorm(4 * dim)
    def forward(self, x):
        h, w = self.resolution
        b, n, c = x.shape
        assert n == h * w
        x = x.view(b, h // 2, 2, w // 2, 2, c).permute(0, 1, 3, 4, 2, 5)
        return self.reduction(self.norm(x.reshape(b, -1, 4 * c)))
"""
UPDATE = """
import jax, jax.numpy as jnp
from typing import NamedTuple
class Batch(NamedTuple):
    obs: jax.Array
    reward: jax.Array
    done: jax.Array
def update(params, batch: Batch):
    best = jnp.tanh(batch.obs @ params["w"]).max(-1)
    aim = batch.reward + 0.9 * (1 - batch.done) * best
    return jnp.mean((best - aim) ** 2)
params = {"w": jnp.ones((4, 16))}
"""
HEADS = """
import torch
class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = torch.nn.Linear(24, 8), torch.nn.Linear(40, 8)
    def forward(self, batch):
        return self.one(batch["left"]) + self.two(batch["right"])
"""
PACKED = """
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
class Tagger(nn.Module):
    def __init__(self, vocab_size, dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, dim)
        self.rnn = nn.GRU(dim, dim)
    def forward(self, text, text_lengths):
        packed = pack_padded_sequence(self.embedding(text), text_lengths.cpu()ORDER)
        return self.rnn(packed)[1][-1]
"""
KEYED = """
import torch
import torch.nn.functional as F
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = torch.nn.Conv2d(3, 16, 3), torch.nn.Linear(16, 10)
    def forward(self, x):
        return self.fc(self.conv(x).relu().mean((2, 3)))
def train_step(model, batch, optimizer):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(batch["image"]), batch["label"])
    loss.backward()
    optimizer.step()
    return {"loss": loss.item()}
"""
POLICY = """
import torch
class Actor(torch.nn.Module):
    def __init__(self, obs_dim=8, n_actions=4):
        super().__init__()
        self.pi = torch.nn.Linear(obs_dim, n_actions)
    def forward(self, obs):
        return self.pi(obs)
def update(model, optimizer, batch):
    obs, actions, advantages = batch
    logp = torch.distributions.Categorical(logits=model(obs)).log_prob(actions)
    optimizer.zero_grad()
    (-logp * advantages).mean().backward()
    optimizer.step()
"""
CACHED = """
import torch
from torch import nn
class Attention(nn.Module):
    def __init__(self, dim=64, max_batch_size=2, max_seq_len=32):
        super().__init__()
        self.wk = nn.Linear(dim, dim)
        self.register_buffer("cache_k", torch.zeros(max_batch_size, max_seq_len, dim))
    def forward(self, x: torch.Tensor, start_pos: int):
        b, n, _ = x.shape
        self.cache_k[:b, start_pos : start_pos + n] = self.wk(x)
        keys = self.cache_k[:b, : start_pos + n]
        return (x @ keys.transpose(1, 2)).softmax(-1) @ keys
"""
STEP = """
import torch
class Decoder(torch.nn.Module):
    def __init__(self, d_model, width=4):
        super().__init__()
        self.up = torch.nn.Linear(d_model, 2 * d_model)
        self.taps = torch.nn.Parameter(torch.ones(2 * d_model, width))
    def step(self, hidden_states, conv_state):
        # hidden_states: (B, D)
        conv_state.copy_(conv_state.roll(-1, -1))
        conv_state[:, :, -1] = self.up(hidden_states)
        return (conv_state * self.taps).sum(-1)
"""
NODES = """
import jax, jax.numpy as jnp
def layer(params, h, x, senders, receivers):
    apart = jnp.sum((x[senders] - x[receivers]) ** 2, -1, keepdims=True)
    m = jnp.concatenate([h[senders], h[receivers], apart], -1) @ params["w"]
    return jax.ops.segment_sum(m, receivers, num_segments=h.shape[0])
params = {"w": jnp.ones((65, 8))}
"""
CARRIED = """
import jax, jax.numpy as jnp
def mixing(x, state, mu_k, u, Wk):
    # x: (T, C)
    def step(carry, x_t):
        last_x, a = carry
        k = (x_t * mu_k + last_x * (1 - mu_k)) @ Wk
        return (x_t, jnp.exp(a) + u + k), k
    return jax.lax.scan(step, state, x)
"""
SCALARS = """
import jax, jax.numpy as jnp
def init(key):
    return {"w": jax.random.normal(key, (2, 16)), "v": jnp.ones((16, 1))}
def u(params, t, x):
    return (jnp.tanh(jnp.array([t, x]) @ params["w"]) @ params["v"])[0]
def loss(params, t_c, x_c, x_0):
    u_t = jax.vmap(jax.grad(u, 1), (None, 0, 0))(params, t_c, x_c)
    return jnp.mean(u_t**2) + jnp.mean(jax.vmap(u, (None, None, 0))(params, 0.0, x_0) ** 2)
"""
BEGUN = """
import jax, jax.numpy as jnp
def opt_init(params):
    return jax.tree.map(jnp.zeros_like, params)
def loss(params, batch):
    x, y = batch
    for W, b in params[:-1]:
        x = jnp.tanh(x @ W + b)
    W, b = params[-1]
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(x @ W + b) * jax.nn.one_hot(y, 10), -1))
@jax.jit
def update(params, opt_state, batch):
    grads = jax.grad(loss)(params, batch)
    v = jax.tree.map(lambda m, g: 0.9 * m + g, opt_state, grads)
    return jax.tree.map(lambda p, m: p - 0.1 * m, params, v), v
"""
# The snippet, and inputs with which it goes through.
UP = """
import torch
from torch import nn
class Up(nn.Module):
    def __init__(self, in_ch, out_ch):
        super().__init__()
        self.up = nn.Upsample(scale_factor=2, mode="bilinear")
        self.conv = nn.Conv2d(in_ch, out_ch, 3, padding=1)
    def forward(self, x, skip):
        return self.conv(torch.cat([skip, self.up(x)], 1))
"""
TOKENS = """
import torch
from torch import nn
class Windows(nn.Module):
    def __init__(self, dim, resolution):
        super().__init__()
        self.resolution, self.norm = resolution, nn.LayerNorm(dim)
    def forward(self, x):
        H, W = self.resolution
        B, L, C = x.shape
        return self.norm(x).view(B, H, W, C).roll(1, 1)
net = Windows(32, (8, 8))
"""
FEW = """
import torch
from torch import nn
net = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 3))
opt = torch.optim.SGD(net.parameters(), 0.1)
def train_step(x, y):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    return loss.item()
"""
MENDED = {
    "labels of few classes": (FEW, "i64[128]~uniform(0,3)"),
    "as many tokens as an image has": (TOKENS, "net(f32[8,64,32])"),
    "images that are joined once one is larger": (UP, "f32[8,128,32,32], f32[8,128,64,64]"),
    "a size that a constructor's number says": (MERGING, "f32[8,1024,256]"),
    "an axis too many": (UPDATE, "params, Batch(obs=f32[128,4], reward=f32[128"),
    "lengths, sorted": (PACKED.replace("ORDER", ""), "i64[8,32], i64[32]~constant(8)"),
    "lengths, unsorted": (
        PACKED.replace("ORDER", ", batch_first=True, enforce_sorted=False"),
        "i64[8,32], i64[8]~uniform(1,9)",
    ),
    "as many labels as examples": (KEYED, "{'image': f32[8,3,32,32], 'label': i64[8]}"),
    "actions that there are": (POLICY, "(f32[128,8], i64[128]~uniform(0,4), f32[128])"),
    "as many examples as a cache": (CACHED, "f32[2,32,64], 0"),
    "all sizes of a cache that is written into": (STEP, "f32[8,256], f32[8,512,4]"),
    "features that are joined with one more": (NODES, "f32[128,32], f32[128,256], i32[512], i32["),
    "what a loop carries on": (CARRIED, "f32[32,256], (f32[256], f32[128,256]), f32[256], f32[256"),
    "numbers, of which vmap takes one each": (
        SCALARS, "init(u32[2]), f32[128], f32[128], f32[128])"
    ),
    "parameters, and the state that begins from them": (
        BEGUN, "[(f32[256,256], f32[256]), (f32[256,10], f32[10])], opt_init(params), "
    ),
    "one of a dict's": (HEADS, "{'left': f32[128,24], 'right': f32[128,40]}"),
}  # fmt: skip


@pytest.mark.parametrize("what", MENDED)
def test_what_does_not_fit_is_mended(what):
    source, inputs = MENDED[what]
    found = explore(source)
    assert found.error is None
    assert any(inputs in notice.text for notice in found.notices), found.notices


def test_what_a_distribution_is_given_is_mended_where_dynamo_has_compiled_before():
    """From then on distributions do not look at what they are given."""
    before = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        found = explore(POLICY)
        assert not torch.distributions.Distribution._validate_args
    finally:
        torch.distributions.Distribution.set_default_validate_args(before)
    assert any("i64[128]~uniform(0,4)" in notice.text for notice in found.notices)
