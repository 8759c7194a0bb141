"""Softmax over rows"""

# inputs: f32[4096,512]
import torch


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, dim=-1)
