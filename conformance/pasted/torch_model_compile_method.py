import torch
from torch import nn

model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10))
model.compile(fullgraph=True)
out = model(torch.randn(16, 32))
print(out.shape)
