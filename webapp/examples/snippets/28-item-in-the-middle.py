"""A tensor's value taken into Python with .item()"""

# inputs: f32[256,256]
import torch


def normalized(x):
    y = torch.exp(-x * x)
    largest = y.max().item()
    return torch.sqrt(y / largest + 1)
