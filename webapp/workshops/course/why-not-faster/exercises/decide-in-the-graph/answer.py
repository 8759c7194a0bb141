"""A gate that is decided on in the graph"""

# inputs: f32[1024,512], f32[512]
import torch
from torch.nn import functional as F


def gated(x, b):
    y = F.gelu(x + b)
    return torch.where(y.mean() > 0.1, y * torch.sigmoid(y), torch.tanh(y))
