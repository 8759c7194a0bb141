"""Gradients of compositions by torch's own autograd."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


def gradients(
    forward: Callable[..., Tensor], grad: Tensor, inputs: Sequence[Tensor]
) -> tuple[Tensor, ...]:
    """`grad` pulled back through `forward` to each of `inputs`."""
    with torch.enable_grad():
        leaves = [x.detach().requires_grad_() for x in inputs]
        result = forward(*leaves)
        found: Any = torch.autograd.grad(result, leaves, grad, materialize_grads=True)
    return tuple(x.detach() for x in found)
