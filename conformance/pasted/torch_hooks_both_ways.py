import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
seen = {}
net[0].register_forward_hook(lambda m, i, o: o * 2)
net[2].register_forward_pre_hook(lambda m, args: (args[0] + 1,))
net[0].weight.register_hook(lambda g: g.clamp(-0.1, 0.1))
net.register_full_backward_hook(lambda m, gi, go: None)
cnet = torch.compile(net)
x = torch.randn(4, 8, requires_grad=True)
cnet(x).sum().backward()
print(net[0].weight.grad.abs().max())
