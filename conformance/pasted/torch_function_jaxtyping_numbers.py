import torch
from torch import Tensor
from jaxtyping import Float


def rms_norm(x: Float[Tensor, "... 64"], weight: Float[Tensor, "64"], eps: float = 1e-6):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight
