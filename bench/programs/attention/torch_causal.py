# small: f32[1,2,32,16], f32[1,2,32,16], f32[1,2,32,16]
# medium: f32[2,8,256,64], f32[2,8,256,64], f32[2,8,256,64]
# large: f32[4,16,1024,64], f32[4,16,1024,64], f32[4,16,1024,64]
import torch.nn.functional as F


def f(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)
