"""Optimizers over many tensors: SGD with momentum, Adam, and Muon by Newton-Schulz"""

import torch

torch.manual_seed(0)


def parameters():
    """Those of six layers of a small transformer, with gradients."""
    shapes = [(192, 64), (64, 64), (256, 64), (64, 256), (64,), (64,)] * 6
    tensors = [torch.randn(shape).requires_grad_() for shape in shapes]
    for tensor in tensors:
        tensor.grad = torch.randn_like(tensor)
    return tensors


sgd = torch.optim.SGD(parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-4)
adam = torch.optim.Adam(parameters(), lr=1e-3)


@torch.compile
def sgd_step():
    sgd.step()


@torch.compile
def adam_step():
    adam.step()


def orthogonal(G, steps=5):
    """The nearest orthogonal matrix, about, by a Newton-Schulz iteration of the fifth order."""
    a, b, c = 3.4445, -4.7750, 2.0315
    X = G.T if G.size(0) > G.size(1) else G
    X = X / (X.norm() + 1e-7)
    for _ in range(steps):
        A = X @ X.T
        B = b * A + c * A @ A
        X = a * X + B @ X
    return X.T if G.size(0) > G.size(1) else X


@torch.compile
def muon_step(weights, gradients, momenta, lr=0.02, momentum=0.95):
    for weight, gradient, moment in zip(weights, gradients, momenta):
        moment.mul_(momentum).add_(gradient)
        update = orthogonal(gradient + momentum * moment)
        weight.sub_(lr * max(1, weight.size(0) / weight.size(1)) ** 0.5 * update)


sgd_step()
adam_step()
with torch.no_grad():
    weights = [torch.randn(64, 64), torch.randn(128, 64), torch.randn(64, 128)]
    muon_step(
        weights, [torch.randn_like(w) for w in weights], [torch.zeros_like(w) for w in weights]
    )
