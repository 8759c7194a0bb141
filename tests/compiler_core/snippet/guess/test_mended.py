"""Sizes that do not fit are mended by what the framework says of them."""

import pytest

from tests.compiler_core.snippets import explore

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
# The snippet, and inputs with which it goes through.
MENDED = {
    "a size that a constructor's number says": (MERGING, "f32[8,1024,256]"),
    "an axis too many": (UPDATE, "params, Batch(obs=f32[128,4], reward=f32[128"),
    "one of a dict's": (HEADS, "{'left': f32[128,24], 'right': f32[128,40]}"),
}  # fmt: skip


@pytest.mark.parametrize("what", MENDED)
def test_what_does_not_fit_is_mended(what):
    source, inputs = MENDED[what]
    found = explore(source)
    assert found.error is None
    assert any(inputs in notice.text for notice in found.notices), found.notices
