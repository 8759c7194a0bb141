# small: f32[16,128]
# medium: f32[256,1024]
# large: f32[2048,4096]
# dtypes: f32
import torch


def f(rewards):
    steps = torch.arange(rewards.shape[1], device=rewards.device, dtype=rewards.dtype)
    weight = 0.99**steps
    return (rewards * weight).flip(1).cumsum(1).flip(1)
