import torch
import torch.nn as nn

class ODEFunc(nn.Module):
    def __init__(self, dim=2, hidden=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.Tanh(), nn.Linear(hidden, dim))
    def forward(self, t, y):
        return self.net(y ** 3)

class OdeintAdjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, func, y0, t, *params):
        ctx.func = func
        with torch.no_grad():
            ys = [y0]
            for i in range(len(t) - 1):
                ys.append(ys[-1] + (t[i + 1] - t[i]) * func(t[i], ys[-1]))
        out = torch.stack(ys)
        ctx.save_for_backward(t, out, *params)
        return out
    @staticmethod
    def backward(ctx, grad):
        t, out, *params = ctx.saved_tensors
        func = ctx.func
        a = grad[-1]
        gp = [torch.zeros_like(p) for p in params]
        for i in range(len(t) - 2, -1, -1):
            y = out[i].detach().requires_grad_(True)
            with torch.enable_grad():
                f = func(t[i], y)
                dt = t[i + 1] - t[i]
                gy, *gs = torch.autograd.grad(f, (y, *params), dt * a, allow_unused=True)
            a = a + gy + grad[i]
            gp = [p + (g if g is not None else 0) for p, g in zip(gp, gs)]
        return (None, a, None, *gp)

def odeint_adjoint(func, y0, t):
    return OdeintAdjoint.apply(func, y0, t, *func.parameters())

func = ODEFunc()
opt = torch.optim.RMSprop(func.parameters(), lr=1e-3)
t = torch.linspace(0, 1, 8)
y0 = torch.tensor([[2.0, 0.0]])
for _ in range(2):
    opt.zero_grad()
    pred = odeint_adjoint(func, y0, t)
    loss = pred.abs().mean()
    loss.backward()
    opt.step()
print(loss)
