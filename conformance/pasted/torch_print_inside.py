import torch


@torch.compile
def f(x):
    y = x.sin()
    print("mean is", y.mean().item())
    if y.mean() > 0:
        return y * 2
    return y - 1


f(torch.ones(8))
f(torch.ones(8))
