import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        return x + checkpoint(self.ff, x, use_reentrant=False)


model = torch.compile(nn.Sequential(Block(16), Block(16)))
y = model(torch.randn(4, 16, requires_grad=True))
y.sum().backward()
