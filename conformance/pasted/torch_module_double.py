import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
x = torch.randn(32, 8)
y = net(x)
print(y.mean())
net.double()
z = net(x.double())
print((z - y.double()).abs().max())
net.half()
print(net(x.half()).dtype)
