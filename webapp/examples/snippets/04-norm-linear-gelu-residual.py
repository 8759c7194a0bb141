"""Layer norm, linear, GELU and a residual"""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.linear = nn.Linear(width, width)
        self.act = nn.GELU()

    def forward(self, x):
        return x + self.act(self.linear(self.norm(x)))


torch.manual_seed(0)
block = torch.compile(Block(512))

with torch.no_grad():
    block(torch.randn(1024, 512))
