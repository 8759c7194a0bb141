import torch


@torch.compile(dynamic=True)
def normalize(x):
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6)


for n in (8, 16, 24):
    normalize(torch.randn(n, 32))
