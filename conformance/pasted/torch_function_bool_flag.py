import torch
from typing import Optional


def layer_norm(x: torch.Tensor, weight: Optional[torch.Tensor] = None, bias: Optional[torch.Tensor] = None, affine: bool = True):
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, unbiased=False)
    y = (x - mean) / torch.sqrt(var + 1e-5)
    if affine and weight is not None:
        y = y * weight + bias
    return y
