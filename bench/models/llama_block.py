"""A Llama block: rotary positions, grouped-query attention, SwiGLU and RMSNorm"""

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, HEADS, KV_HEADS, HIDDEN, LENGTH = 256, 8, 2, 688, 128
HEAD = WIDTH // HEADS


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


def rotation(length, head, base=10000.0):
    frequencies = base ** (-torch.arange(0, head, 2) / head)
    angles = torch.outer(torch.arange(length), frequencies)
    return torch.polar(torch.ones_like(angles), angles)


def rotate(x, turns):
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns[:, None]).flatten(3).type_as(x)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(WIDTH, HEADS * HEAD, bias=False)
        self.k = nn.Linear(WIDTH, KV_HEADS * HEAD, bias=False)
        self.v = nn.Linear(WIDTH, KV_HEADS * HEAD, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x, turns):
        b, t, _ = x.shape
        q = rotate(self.q(x).view(b, t, HEADS, HEAD), turns)
        k = rotate(self.k(x).view(b, t, KV_HEADS, HEAD), turns)
        v = self.v(x).view(b, t, KV_HEADS, HEAD)
        k, v = (each.repeat_interleave(HEADS // KV_HEADS, dim=2) for each in (k, v))
        y = F.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True
        )
        return self.out(y.transpose(1, 2).reshape(b, t, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm, self.attention = RMSNorm(WIDTH), Attention()
        self.mlp_norm = RMSNorm(WIDTH)
        self.gate = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.up = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)
        self.register_buffer("turns", rotation(LENGTH, HEAD))

    def forward(self, x):
        h = x + self.attention(self.attention_norm(x), self.turns)
        n = self.mlp_norm(h)
        return h + self.down(F.silu(self.gate(n)) * self.up(n))


torch.manual_seed(0)
block = Block()
optimizer = torch.optim.AdamW(block.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
x = torch.randn(2, LENGTH, WIDTH)


@torch.compile
def forward(x):
    return block(x)


@torch.compile
def train(x, target):
    optimizer.zero_grad()
    loss = F.mse_loss(block(x), target)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(block.parameters(), 1.0)
    optimizer.step()
    return loss


with torch.no_grad():
    forward(x)
train(x, torch.randn(2, LENGTH, WIDTH))
