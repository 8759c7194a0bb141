"""A Mamba block: gated, a short causal convolution, a selective scan over time"""

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, INNER, STATE, RANK, LENGTH = 64, 128, 8, 4, 32


def selective_scan(u, delta, A, B, C, D):
    """u, delta: [batch, length, inner]; A: [inner, state]; B, C: [batch, length, state]"""
    decay = torch.exp(delta.unsqueeze(-1) * A)
    driven = (delta * u).unsqueeze(-1) * B.unsqueeze(2)
    state = torch.zeros_like(decay[:, 0])
    outputs = []
    for t in range(u.shape[1]):
        state = decay[:, t] * state + driven[:, t]
        outputs.append(torch.einsum("bds,bs->bd", state, C[:, t]))
    return torch.stack(outputs, dim=1) + u * D


class Mamba(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.RMSNorm(WIDTH)
        self.inside = nn.Linear(WIDTH, 2 * INNER, bias=False)
        self.conv = nn.Conv1d(INNER, INNER, 4, groups=INNER, padding=3)
        self.project = nn.Linear(INNER, RANK + 2 * STATE, bias=False)
        self.delta = nn.Linear(RANK, INNER)
        self.A_log = nn.Parameter(torch.log(torch.arange(1.0, STATE + 1).repeat(INNER, 1)))
        self.D = nn.Parameter(torch.ones(INNER))
        self.outside = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x):
        u, gate = self.inside(self.norm(x)).chunk(2, dim=-1)
        u = F.silu(self.conv(u.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2))
        delta, B, C = self.project(u).split([RANK, STATE, STATE], dim=-1)
        delta = F.softplus(self.delta(delta))
        y = selective_scan(u, delta, -torch.exp(self.A_log), B, C, self.D)
        return x + self.outside(y * F.silu(gate))


torch.manual_seed(0)
model = Mamba()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
x = torch.randn(2, LENGTH, WIDTH)


@torch.compile
def forward(x):
    return model(x)


@torch.compile
def train(x, target):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), target)
    loss.backward()
    optimizer.step()
    return loss


with torch.no_grad():
    forward(x)
train(x, torch.randn(2, LENGTH, WIDTH))
