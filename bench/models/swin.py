"""Swin: attention in shifted windows with a relative position bias, and merged patches"""

import torch
import torch.nn.functional as F
from torch import nn

WINDOW = 4


def windows(x):
    """[B, H, W, C] -> [B * windows, WINDOW * WINDOW, C]"""
    b, h, w, c = x.shape
    x = x.view(b, h // WINDOW, WINDOW, w // WINDOW, WINDOW, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, WINDOW * WINDOW, c)


def unwindows(x, b, h, w):
    """The inverse of windows."""
    x = x.view(b, h // WINDOW, w // WINDOW, WINDOW, WINDOW, -1)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, -1)


def shift_mask(size, shift):
    """-100 between places that only the shift brought into one window."""
    regions = torch.zeros(1, size, size, 1)
    parts = (slice(0, -WINDOW), slice(-WINDOW, -shift), slice(-shift, None))
    for i, rows in enumerate(parts):
        for j, columns in enumerate(parts):
            regions[:, rows, columns] = 3 * i + j
    of = windows(regions).squeeze(-1)
    return (of[:, None] != of[:, :, None]).float() * -100.0


class WindowAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.bias = nn.Parameter(torch.randn((2 * WINDOW - 1) ** 2, heads) * 0.02)
        at = torch.stack(
            torch.meshgrid(torch.arange(WINDOW), torch.arange(WINDOW), indexing="ij")
        ).flatten(1)
        apart = at[:, :, None] - at[:, None] + WINDOW - 1
        self.register_buffer("index", apart[0] * (2 * WINDOW - 1) + apart[1])

    def forward(self, x, mask=None):
        n, t, c = x.shape
        q, k, v = self.qkv(x).view(n, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) * (c // self.heads) ** -0.5
        scores = scores + self.bias[self.index].permute(2, 0, 1)
        if mask is not None:
            count = mask.shape[0]
            scores = scores.view(n // count, count, self.heads, t, t) + mask[:, None]
            scores = scores.view(n, self.heads, t, t)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, c))


class Block(nn.Module):
    def __init__(self, width, heads, size, shift):
        super().__init__()
        self.shift = shift
        self.norm1, self.attention = nn.LayerNorm(width), WindowAttention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.register_buffer("mask", shift_mask(size, shift) if shift else None)

    def forward(self, x):
        b, h, w, _ = x.shape
        y = torch.roll(self.norm1(x), (-self.shift, -self.shift), (1, 2))
        y = unwindows(self.attention(windows(y), self.mask), b, h, w)
        x = x + torch.roll(y, (self.shift, self.shift), (1, 2))
        return x + self.mlp(self.norm2(x))


class Merge(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.reduce = nn.LayerNorm(4 * width), nn.Linear(4 * width, 2 * width, False)

    def forward(self, x):
        quarters = [x[:, i::2, j::2] for j in (0, 1) for i in (0, 1)]
        return self.reduce(self.norm(torch.cat(quarters, -1)))


class Swin(nn.Module):
    def __init__(self, width=32, classes=10):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 2, 2)
        self.stage1 = nn.Sequential(Block(width, 2, 16, 0), Block(width, 2, 16, 2))
        self.merge = Merge(width)
        self.stage2 = nn.Sequential(Block(2 * width, 4, 8, 0), Block(2 * width, 4, 8, 2))
        self.norm, self.head = nn.LayerNorm(2 * width), nn.Linear(2 * width, classes)

    def forward(self, images):
        x = self.patches(images).permute(0, 2, 3, 1)
        x = self.stage2(self.merge(self.stage1(x)))
        return self.head(self.norm(x).mean((1, 2)))


torch.manual_seed(0)
model = Swin()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
images, labels = torch.randn(4, 3, 32, 32), torch.randint(10, (4,))


@torch.compile
def forward(images):
    return model(images)


@torch.compile
def train(images, labels):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss


with torch.no_grad():
    forward(images)
train(images, labels)
