import torch
import torch.nn as nn

net = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 50), nn.Tanh(), nn.Linear(50, 1))

def f(x, t):
    u = net(torch.cat([x, t], dim=1))
    u_x = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
    u_t = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    u_xx = torch.autograd.grad(u_x.sum(), x, create_graph=True)[0]
    return u_t + u * u_x - (0.01 / torch.pi) * u_xx

optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(3):
    x = (torch.rand(200, 1) * 2 - 1).requires_grad_(True)
    t = torch.rand(200, 1).requires_grad_(True)
    loss_pde = f(x, t).pow(2).mean()
    x0 = torch.rand(100, 1) * 2 - 1
    loss_ic = (net(torch.cat([x0, torch.zeros_like(x0)], 1)) + torch.sin(torch.pi * x0)).pow(2).mean()
    loss = loss_pde + loss_ic
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
