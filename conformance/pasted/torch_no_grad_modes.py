import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.ReLU()).eval()


@torch.compile
@torch.no_grad()
def predict(x):
    return net(x).argmax(-1)


@torch.inference_mode()
@torch.compile
def embed(x):
    return nn.functional.normalize(net(x), dim=-1)


print(predict(torch.randn(4, 8)))
print(embed(torch.randn(4, 8)).shape)
with torch.inference_mode():
    compiled = torch.compile(net)
    print(compiled(torch.ones(2, 8)).sum())
