"""A chain of small elementwise operations"""

import torch


@torch.compile
def squash(x):
    y = x * 0.5
    y = y * torch.sigmoid(y)
    y = torch.tanh(y**2)
    return y / (y.abs() + 1)


squash(torch.randn(2048, 512))
