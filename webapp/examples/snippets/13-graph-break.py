"""A graph break: Python decides by a tensor's value"""

# inputs: f32[1024,1024], f32[1024]
import torch
from torch.nn import functional as F


def gated(x, b):
    y = F.gelu(x + b)
    if y.mean() > 0.1:
        print("on the whole positive")
        return y * torch.sigmoid(y)
    return torch.tanh(y)
