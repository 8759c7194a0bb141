import torch
from torch import nn

bag = nn.EmbeddingBag(100, 16, mode="sum", padding_idx=0)
maxbag = nn.EmbeddingBag(100, 16, mode="max")


@torch.compile
def f(idx, offsets, weights):
    return bag(idx, offsets, per_sample_weights=weights), maxbag(idx, offsets)


out = f(torch.randint(0, 100, (20,)), torch.tensor([0, 4, 4, 12]), torch.rand(20))
(out[0].sum() + out[1].sum()).backward()
print(bag.weight.grad.abs().sum())
