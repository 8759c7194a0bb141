import torch
import torch.nn as nn
import torch.nn.functional as F

class FakeQuantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, qmin, qmax):
        q = torch.round(x / scale)
        ctx.save_for_backward((q >= qmin) & (q <= qmax))
        return q.clamp(qmin, qmax) * scale
    @staticmethod
    def backward(ctx, g):
        (mask,) = ctx.saved_tensors
        return g * mask, None, None, None

class QATLinear(nn.Linear):
    def __init__(self, in_features, out_features, bits=8):
        super().__init__(in_features, out_features)
        self.qmax = 2 ** (bits - 1) - 1
        self.register_buffer("act_max", torch.tensor(0.0))
    def forward(self, x):
        if self.training:
            self.act_max.mul_(0.9).add_(0.1 * x.detach().abs().max())
        xs = self.act_max.clamp(min=1e-8) / self.qmax
        ws = self.weight.detach().abs().amax(dim=1, keepdim=True) / self.qmax
        xq = FakeQuantize.apply(x, xs, -self.qmax - 1, self.qmax)
        wq = FakeQuantize.apply(self.weight, ws, -self.qmax - 1, self.qmax)
        return F.linear(xq, wq, self.bias)

layer = QATLinear(32, 16)
out = layer(torch.randn(8, 32))
out.pow(2).mean().backward()
print(out.shape, layer.weight.grad.norm())
