# small: f32[32,64], f32[128,64], f32[128]
# medium: f32[256,512], f32[1024,512], f32[1024]
# large: f32[1024,2048], f32[2048,2048], f32[2048]
import torch.nn.functional as F


def f(x, weight, bias):
    return F.gelu(F.linear(x, weight, bias))
