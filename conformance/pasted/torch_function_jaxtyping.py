from jaxtyping import Float, Int
import torch
from torch import Tensor


def cross_entropy(logits: Float[Tensor, "batch seq vocab"], targets: Int[Tensor, "batch seq"]) -> Float[Tensor, ""]:
    logp = logits.log_softmax(-1)
    return -logp.gather(-1, targets.unsqueeze(-1)).mean()
