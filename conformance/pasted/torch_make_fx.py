import torch
from torch.fx.experimental.proxy_tensor import make_fx


def f(x, y):
    return torch.nn.functional.softplus(x) * y


gm = make_fx(f)(torch.randn(8, 8), torch.randn(8, 8))
print(gm.code)
