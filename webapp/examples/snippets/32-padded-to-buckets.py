"""Lengths padded to a bucket, and a mask for what was added"""

# inputs: f32[32,256], i64[32]
import torch


def masked_mean(x, lengths):
    inside = torch.arange(x.shape[1], device=x.device) < lengths[:, None] % x.shape[1] + 1
    total = torch.where(inside, x, 0).sum(-1)
    return total / inside.sum(-1)
