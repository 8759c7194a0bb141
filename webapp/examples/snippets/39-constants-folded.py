"""What depends on no input is computed by the compiler"""

# inputs: f32[256,256]
import torch


def scaled(x):
    scale = torch.full((256,), 9.0).sqrt() * 2 - 1
    return x * scale
