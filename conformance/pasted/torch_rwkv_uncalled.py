import torch, torch.nn as nn, torch.nn.functional as F


class RWKV_TimeMix(nn.Module):
    def __init__(self, n_embd, layer_id, n_layer):
        super().__init__()
        ratio = 1.0 - layer_id / n_layer
        self.time_decay = nn.Parameter(-5 + 8 * (torch.arange(n_embd) / (n_embd - 1)) ** (0.7 + 1.3 * ratio))
        self.time_first = nn.Parameter(torch.ones(n_embd) * -1.2)
        x = torch.arange(n_embd).view(1, 1, n_embd) / n_embd
        self.time_mix_k = nn.Parameter(x**ratio)
        self.time_mix_v = nn.Parameter(x**ratio + 0.3 * ratio)
        self.time_mix_r = nn.Parameter(x ** (0.5 * ratio))
        self.time_shift = nn.ZeroPad2d((0, 0, 1, -1))
        self.key = nn.Linear(n_embd, n_embd, bias=False)
        self.value = nn.Linear(n_embd, n_embd, bias=False)
        self.receptance = nn.Linear(n_embd, n_embd, bias=False)
        self.output = nn.Linear(n_embd, n_embd, bias=False)

    def forward(self, x):
        B, T, C = x.size()
        xx = self.time_shift(x)
        k = self.key(x * self.time_mix_k + xx * (1 - self.time_mix_k))
        v = self.value(x * self.time_mix_v + xx * (1 - self.time_mix_v))
        r = torch.sigmoid(self.receptance(x * self.time_mix_r + xx * (1 - self.time_mix_r)))
        return self.output(r * wkv(-torch.exp(self.time_decay), self.time_first, k, v))


def wkv(w, u, k, v):
    """numerically stable WKV"""
    B, T, C = k.shape
    aa = torch.zeros(B, C)
    bb = torch.zeros(B, C)
    pp = torch.full((B, C), -1e38)
    outs = []
    for t in range(T):
        kt, vt = k[:, t], v[:, t]
        ww = u + kt
        p = torch.maximum(pp, ww)
        e1, e2 = torch.exp(pp - p), torch.exp(ww - p)
        outs.append((e1 * aa + e2 * vt) / (e1 * bb + e2))
        ww = pp + w
        p = torch.maximum(ww, kt)
        e1, e2 = torch.exp(ww - p), torch.exp(kt - p)
        aa, bb, pp = e1 * aa + e2 * vt, e1 * bb + e2, p
    return torch.stack(outs, dim=1)
