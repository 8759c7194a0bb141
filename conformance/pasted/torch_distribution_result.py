import torch
from torch import nn
from types import SimpleNamespace


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu, self.std = nn.Linear(4, 2), nn.Linear(4, 2)

    def forward(self, x):
        return torch.distributions.Normal(self.mu(x), self.std(x).exp()), SimpleNamespace(h=x * 2, n=3)


actor = torch.compile(Actor())
print(actor(torch.randn(3, 4))[0].mean.shape)
