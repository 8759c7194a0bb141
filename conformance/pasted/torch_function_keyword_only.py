import torch


def clip_grad(x, *, max_norm: float, norm_type: float = 2.0):
    norm = torch.linalg.vector_norm(x, norm_type)
    return x * torch.clamp(max_norm / (norm + 1e-6), max=1.0)
