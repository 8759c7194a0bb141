"""A softmax by hand, of several kernels"""

# inputs: f32[1024,512]
import torch


def softmax(x):
    e = torch.exp(x - x.max())
    return e / e.sum(-1, keepdim=True)
