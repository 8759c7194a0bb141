"""An activation that returns what it went through"""

# inputs: f32[2048,512], f32[512]
import torch


def activate(x, b):
    y = x + b
    gate = torch.sigmoid(1.702 * y)
    return y * gate, y, gate
