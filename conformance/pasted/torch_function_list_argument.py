from typing import List

import torch


def stack_and_mean(tensors: List[torch.Tensor]) -> torch.Tensor:
    return torch.stack(tensors).mean(0)
