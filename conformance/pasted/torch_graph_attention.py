import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, in_features, out_features, heads=4, alpha=0.2):
        super().__init__()
        self.heads, self.out = heads, out_features
        self.W = nn.Linear(in_features, heads * out_features, bias=False)
        self.a_src = nn.Parameter(torch.randn(heads, out_features) * 0.1)
        self.a_dst = nn.Parameter(torch.randn(heads, out_features) * 0.1)
        self.leaky = nn.LeakyReLU(alpha)

    def forward(self, x, edge_index):
        src, dst = edge_index
        n = x.size(0)
        h = self.W(x).view(n, self.heads, self.out)
        e = self.leaky((h * self.a_src).sum(-1)[src] + (h * self.a_dst).sum(-1)[dst])
        m = torch.full((n, self.heads), float("-inf")).scatter_reduce(
            0, dst[:, None].expand_as(e), e, reduce="amax", include_self=True
        )
        p = torch.exp(e - m[dst])
        z = torch.zeros(n, self.heads).index_add_(0, dst, p)
        w = p / (z[dst] + 1e-16)
        out = torch.zeros(n, self.heads, self.out).index_add_(0, dst, w.unsqueeze(-1) * h[src])
        return F.elu(out.flatten(1))


torch.manual_seed(0)
layer = GATLayer(16, 8)
x = torch.randn(50, 16)
edge_index = torch.randint(0, 50, (2, 300))
out = layer(x, edge_index)
print(out.shape)
