import torch
import torch.nn as nn
import torch.nn.functional as F

def scatter_softmax(src, index, n):
    m = torch.full((n, src.size(1)), float("-inf")).scatter_reduce(0, index[:, None].expand_as(src), src, reduce="amax")
    e = (src - m[index]).exp()
    z = torch.zeros(n, src.size(1)).index_add_(0, index, e)
    return e / (z[index] + 1e-16)

class GATv2Layer(nn.Module):
    def __init__(self, d_in, d_out, heads=4):
        super().__init__()
        self.h, self.d = heads, d_out
        self.lin_l = nn.Linear(d_in, heads * d_out)
        self.lin_r = nn.Linear(d_in, heads * d_out)
        self.att = nn.Parameter(torch.randn(1, heads, d_out) * 0.1)
    def forward(self, x, edge_index):
        src, dst = edge_index
        xl = self.lin_l(x).view(-1, self.h, self.d)
        xr = self.lin_r(x).view(-1, self.h, self.d)
        e = F.leaky_relu(xl[src] + xr[dst], 0.2)
        a = scatter_softmax((e * self.att).sum(-1), dst, x.size(0))
        out = torch.zeros_like(xl).index_add_(0, dst, xl[src] * a.unsqueeze(-1))
        return out.flatten(1)

layer = GATv2Layer(16, 8)
x = torch.randn(20, 16)
edge_index = torch.randint(0, 20, (2, 60))
layer(x, edge_index).sum().backward()
