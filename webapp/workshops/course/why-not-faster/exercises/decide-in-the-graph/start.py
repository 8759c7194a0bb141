"""A gate that Python decides on"""

# inputs: f32[1024,512], f32[512]
import torch
from torch.nn import functional as F


def gated(x, b):
    y = F.gelu(x + b)
    if y.mean() > 0.1:
        return y * torch.sigmoid(y)
    return torch.tanh(y)
