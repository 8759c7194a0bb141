"""Sixteen numbers: the call costs more than the work"""

# inputs: f32[16]
import torch


def small(x):
    return torch.tanh(x) * 2 + 1
