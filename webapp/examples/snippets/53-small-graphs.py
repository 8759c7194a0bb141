"""Small graphs, and a question of Python's between them: compiled, it is slower"""

# inputs: f32[64]
import torch


def settled(x):
    x = torch.tanh(x)
    if x.max() > 0.9:
        x = x * 0.5
    x = torch.sigmoid(x)
    if x.max() > 0.9:
        x = x * 0.5
    x = torch.exp(x)
    if x.max() > 0.9:
        x = x * 0.5
    return x + 1
