# small: f32[1,64,4,32], f32[64,32], f32[64,32]
# medium: f32[4,512,8,64], f32[512,64], f32[512,64]
# large: f32[8,2048,16,64], f32[2048,64], f32[2048,64]
import torch


def f(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    turned = torch.cat([-b, a], dim=-1)
    return x * cos[None, :, None, :] + turned * sin[None, :, None, :]
