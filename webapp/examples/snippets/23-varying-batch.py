"""Any batch: compiled once, checked at three"""

# inputs: f32[B=512,256], f32[256,64], f32[64]
import torch
import torch.nn.functional as F


def scores(x, w, b):
    y = F.gelu(x @ w / 16 + b)
    return torch.softmax(y, -1), y.mean(0)
