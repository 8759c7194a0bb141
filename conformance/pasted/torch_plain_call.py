import torch
import torch.nn.functional as F


def bias_gelu(x, bias):
    return F.gelu(x + bias)


x = torch.randn(128, 256)
bias = torch.randn(256)
print(bias_gelu(x, bias).shape)
