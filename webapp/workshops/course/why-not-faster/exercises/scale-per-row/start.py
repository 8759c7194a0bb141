"""RMS norm and a quantization to int8"""

# inputs: f32[1024,512], f32[512]
import torch


def quantized(x, weight):
    y = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * weight
    scale = y.abs().amax() / 127
    return torch.round(y / scale).to(torch.int8), scale
