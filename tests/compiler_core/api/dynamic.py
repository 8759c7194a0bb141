"""Models compiled by torch.compile, and what is held against torch."""

import torch

from compiler_core.api import dynamo_backend


def compiled(fn, dynamic: bool | None = True):
    return torch.compile(fn, backend=dynamo_backend.fuselab, dynamic=dynamic)


def gradients(model, x):
    model(x).square().mean().backward()
    found = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return found
