import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(0)


class Unet(nn.Module):
    def __init__(self, c=16):
        super().__init__()
        self.i = nn.Conv2d(3, c, 3, padding=1)
        self.n = nn.GroupNorm(4, c)
        self.c = nn.Conv2d(c, c, 3, padding=1)
        self.t = nn.Linear(1, c)
        self.o = nn.Conv2d(c, 3, 1)

    def forward(self, x, t):
        h = self.i(x)
        h = h + self.t(t[:, None].float() / 100)[:, :, None, None]
        h = self.c(F.silu(self.n(h)))
        return self.o(F.silu(h))


betas = torch.linspace(1e-4, 0.02, 100)
ac = torch.cumprod(1 - betas, 0)
sac, s1 = ac.sqrt(), (1 - ac).sqrt()


def extract(a, t, shape):
    return a.gather(0, t).reshape(-1, *((1,) * (len(shape) - 1)))


def q_sample(x, t, noise):
    return extract(sac, t, x.shape) * x + extract(s1, t, x.shape) * noise


def p_losses(model, x, t, noise=None):
    noise = torch.randn_like(x) if noise is None else noise
    return F.smooth_l1_loss(model(q_sample(x, t, noise), t), noise)


model = Unet()
x = torch.randn(4, 3, 16, 16)
t = torch.randint(0, 100, (4,))
loss = p_losses(model, x, t, torch.randn_like(x))
loss.backward()
