# small: f32[32,128], i64[32]~uniform(0,128)
# medium: f32[256,8192], i64[256]~uniform(0,8192)
# large: f32[1024,32768], i64[1024]~uniform(0,32768)
import torch.nn.functional as F


def f(logits, labels):
    return F.cross_entropy(logits, labels)
