"""Message passing on a graph: a convolution by degrees, and attention over each node's edges"""

import torch
import torch.nn.functional as F
from torch import nn

NODES, EDGES, FEATURES, CLASSES = 200, 1000, 32, 7


class Convolution(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x, edges):
        source, target = edges
        degree = torch.ones(NODES).index_add_(0, target, torch.ones(EDGES))
        norm = degree[source].rsqrt() * degree[target].rsqrt()
        messages = self.linear(x)[source] * norm[:, None]
        return torch.zeros(NODES, messages.shape[1]).index_add(0, target, messages)


class Attention(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs, bias=False)
        self.of_source = nn.Parameter(torch.randn(outputs) * 0.1)
        self.of_target = nn.Parameter(torch.randn(outputs) * 0.1)

    def forward(self, x, edges):
        source, target = edges
        h = self.linear(x)
        score = F.leaky_relu((h @ self.of_source)[source] + (h @ self.of_target)[target], 0.2)
        most = torch.full((NODES,), -torch.inf).scatter_reduce(0, target, score, "amax")
        weight = (score - most[target]).exp()
        total = torch.zeros(NODES).scatter_add(0, target, weight)
        weight = weight / total[target]
        index = target[:, None].expand(-1, h.shape[1])
        return torch.zeros_like(h).scatter_add(0, index, weight[:, None] * h[source])


class GNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Convolution(FEATURES, 64)
        self.second = Attention(64, CLASSES)

    def forward(self, x, edges):
        return self.second(F.elu(self.first(x, edges)), edges)


torch.manual_seed(0)
model = GNN()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
x, edges = torch.randn(NODES, FEATURES), torch.randint(NODES, (2, EDGES))
labels, known = torch.randint(CLASSES, (NODES,)), torch.rand(NODES) < 0.3


@torch.compile
def forward(x, edges):
    return model(x, edges).argmax(-1)


@torch.compile
def train(x, edges, labels, known):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x, edges), labels, reduction="none")
    loss = (loss * known).sum() / known.sum()
    loss.backward()
    optimizer.step()
    return loss


with torch.no_grad():
    forward(x, edges)
train(x, edges, labels, known)
