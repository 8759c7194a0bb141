"""bfloat16 in memory, float32 in registers"""

# inputs: bf16[256,512]
import torch


def sharpened(x):
    y = x * 1.5 + 0.25
    return torch.softmax(y * y, -1)
