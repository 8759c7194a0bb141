"""A loss and its gradient: what backward needs, forward keeps"""

# inputs: f32[256,256], f32[256]
import torch


def gradient(x, w):
    w = w.detach().requires_grad_()
    loss = (torch.tanh(x * w) ** 2).mean()
    (slope,) = torch.autograd.grad(loss, w)
    return loss, slope
