"""A chain of products, in two buffers"""

# inputs: f32[128,128], f32[128,128]
import torch


def powers(x, w):
    for _ in range(5):
        x = torch.relu(x @ w)
    return x
