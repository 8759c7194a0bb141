import torch
from torch import nn
from torch.nn.utils import parametrize, parametrizations


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


layer = nn.Linear(8, 8)
parametrize.register_parametrization(layer, "weight", Symmetric())
normed = parametrizations.weight_norm(nn.Linear(8, 4))
model = torch.compile(nn.Sequential(layer, nn.Tanh(), normed))
print(model(torch.randn(5, 8)).shape)
