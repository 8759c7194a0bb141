"""The branch mended: torch.where keeps the decision in the graph"""

# inputs: f32[256,256], f32[256]
import torch
from torch.nn import functional as F


def gated(x, b):
    y = F.gelu(x + b)
    return torch.where(y.mean() > 0.1, y * torch.sigmoid(y), torch.tanh(y))
