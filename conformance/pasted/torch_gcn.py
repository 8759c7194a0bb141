import torch
from torch import nn


class GCNConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels, bias=False)

    def forward(self, x, edge_index):
        row, col = edge_index
        deg = torch.zeros(x.size(0)).scatter_add_(0, col, torch.ones(col.size(0)))
        norm = deg.clamp(min=1).rsqrt()
        msg = self.lin(x)[row] * (norm[row] * norm[col]).unsqueeze(-1)
        return torch.zeros(x.size(0), msg.size(1)).index_add_(0, col, msg)
