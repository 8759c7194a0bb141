from dataclasses import dataclass
from typing import NamedTuple

import torch


class Out(NamedTuple):
    value: torch.Tensor
    aux: torch.Tensor


@dataclass
class Batch:
    x: torch.Tensor
    y: torch.Tensor


@torch.compile
def step(batch: Batch):
    return Out(batch.x @ batch.y, (batch.x ** 2).sum())


print(step(Batch(torch.randn(4, 8), torch.randn(8, 2))).value.shape)
