import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call

model = nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1))
meta_opt = torch.optim.Adam(model.parameters(), lr=1e-3)

def adapt(params, x, y, lr=0.01, steps=1):
    for _ in range(steps):
        loss = F.mse_loss(functional_call(model, params, (x,)), y)
        grads = torch.autograd.grad(loss, tuple(params.values()), create_graph=True)
        params = {k: p - lr * g for (k, p), g in zip(params.items(), grads)}
    return params

def meta_step(tasks):
    meta_opt.zero_grad()
    total = 0.0
    for xs, ys, xq, yq in tasks:
        fast = adapt(dict(model.named_parameters()), xs, ys)
        total = total + F.mse_loss(functional_call(model, fast, (xq,)), yq)
    total = total / len(tasks)
    total.backward()
    meta_opt.step()
    return total.item()

def sine_task(k=10):
    amp, phase = torch.rand(1) * 4.9 + 0.1, torch.rand(1) * 3.14
    x = torch.rand(2 * k, 1) * 10 - 5
    y = amp * torch.sin(x + phase)
    return x[:k], y[:k], x[k:], y[k:]

for it in range(2):
    print(it, meta_step([sine_task() for _ in range(4)]))
