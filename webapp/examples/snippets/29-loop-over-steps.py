"""A Python loop over steps, unrolled by the capture"""

# inputs: f32[128,256], f32[256]
import torch


def decay(x, rate):
    for _ in range(4):
        x = x * torch.sigmoid(rate) + 0.1
    return x
