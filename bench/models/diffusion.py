"""Diffusion (DDPM): one step of sampling, and a training step that predicts the noise"""

import math

import torch
import torch.nn.functional as F
from torch import nn

STEPS, WIDTH = 100, 32
betas = torch.linspace(1e-4, 0.02, STEPS)
alphas = 1 - betas
kept = torch.cumprod(alphas, 0)


def time_embedding(t, width):
    rates = torch.exp(-math.log(10000) * torch.arange(width // 2) / (width // 2))
    angles = t[:, None].float() * rates
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(8, width), nn.Conv2d(width, width, 3, padding=1)
        self.time = nn.Linear(4 * width, width)
        self.norm2, self.conv2 = nn.GroupNorm(8, width), nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x, t):
        h = self.conv1(F.silu(self.norm1(x)))
        h = h + self.time(F.silu(t))[:, :, None, None]
        return x + self.conv2(F.silu(self.norm2(h)))


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.SiLU(), nn.Linear(4 * WIDTH, 4 * WIDTH)
        )
        self.inside = nn.Conv2d(1, WIDTH, 3, padding=1)
        self.blocks = nn.ModuleList(Residual(WIDTH) for _ in range(2))
        self.outside = nn.Conv2d(WIDTH, 1, 3, padding=1)

    def forward(self, x, t):
        t = self.time(time_embedding(t, WIDTH))
        x = self.inside(x)
        for block in self.blocks:
            x = block(x, t)
        return self.outside(x)


torch.manual_seed(0)
model = Denoiser()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)


@torch.compile
def sample(x, t):
    noise = model(x, t.expand(x.shape[0]))
    mean = (x - betas[t] / torch.sqrt(1 - kept[t]) * noise) / torch.sqrt(alphas[t])
    return torch.where(t > 0, mean + betas[t].sqrt() * torch.randn_like(x), mean)


@torch.compile
def train(images):
    optimizer.zero_grad()
    t = torch.randint(0, STEPS, (images.shape[0],))
    noise = torch.randn_like(images)
    share = kept[t][:, None, None, None]
    noisy = share.sqrt() * images + (1 - share).sqrt() * noise
    loss = F.mse_loss(model(noisy, t), noise)
    loss.backward()
    optimizer.step()
    return loss


with torch.no_grad():
    sample(torch.randn(4, 1, 16, 16), torch.tensor(50))
train(torch.randn(4, 1, 16, 16))
