"""A training step: forward, backward, and the optimizer"""

import torch
from torch import nn

torch.manual_seed(0)
norm = nn.LayerNorm(512, bias=False)
model = nn.Sequential(nn.Linear(256, 512), nn.GELU(), norm, nn.Linear(512, 64))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)


@torch.compile
def step(x, y):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


for _ in range(2):
    step(torch.randn(128, 256), torch.randn(128, 64))
