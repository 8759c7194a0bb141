# small: f32[1,2,32,16], f32[1,2,32,16], f32[1,2,32,16]
# medium: f32[2,8,256,64], f32[2,8,256,64], f32[2,8,256,64]
# large: f32[4,16,1024,64], f32[4,16,1024,64], f32[4,16,1024,64]
import torch


def f(q, k, v):
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    return torch.softmax(scores, dim=-1) @ v
