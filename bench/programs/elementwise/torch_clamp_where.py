# small: f32[128,128], f32[128,128]
# medium: f32[1024,1024], f32[1024,1024]
# large: f32[4096,4096], f32[4096,4096]
import torch


def f(x, y):
    z = torch.where(x > y, x.clamp(-1, 1), torch.log1p(y.abs()))
    return z * torch.rsqrt(1 + z * z)
