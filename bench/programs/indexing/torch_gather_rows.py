# small: f32[128,64], i64[128,8]~uniform(0,64)
# medium: f32[4096,512], i64[4096,64]~uniform(0,512)
# large: f32[16384,1024], i64[16384,128]~uniform(0,1024)
import torch


def f(x, index):
    return torch.gather(x, 1, index).relu() * 2
