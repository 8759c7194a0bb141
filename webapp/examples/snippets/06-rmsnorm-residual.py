"""RMSNorm with a residual"""

# inputs: f32[2048,1024], f32[2048,1024], f32[1024]
import torch


def add_rms_norm(x, residual, weight, eps=1e-6):
    h = x + residual
    scale = torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps)
    return h * scale * weight, h
