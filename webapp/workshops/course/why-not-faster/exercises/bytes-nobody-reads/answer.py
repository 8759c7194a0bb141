"""An activation that returns its result"""

# inputs: f32[2048,512], f32[512]
import torch


def activate(x, b):
    y = x + b
    return y * torch.sigmoid(1.702 * y)
