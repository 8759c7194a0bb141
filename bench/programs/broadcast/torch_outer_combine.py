# small: f32[128], f32[128]
# medium: f32[1024], f32[1024]
# large: f32[4096], f32[4096]
import torch


def f(a, b):
    return torch.exp(-(a[:, None] - b[None, :]).abs())
