import functools

import torch


def make_scale(factor):
    def scale(x):
        return x * factor + 1

    return scale


def affine(w, b, x):
    return x @ w + b


x = torch.randn(16, 8)
torch.compile(make_scale(3.0))(x)
torch.compile(lambda t: (t.sin() ** 2).sum(-1))(x)
torch.compile(functools.partial(affine, torch.randn(8, 4), torch.randn(4)))(x)
torch.compile(functools.partial(affine, b=0.5))(torch.randn(8, 4), x=x)
