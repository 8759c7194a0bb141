import torch
from torch.func import jacrev, vmap


def predict(weight, bias, x):
    return torch.nn.functional.linear(x, weight, bias).tanh()


D = 16
weight = torch.randn(D, D)
bias = torch.randn(D)
x = torch.randn(D)
jacobian = jacrev(predict, argnums=2)(weight, bias, x)
print(jacobian.shape)
