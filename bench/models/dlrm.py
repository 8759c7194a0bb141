"""A recommender as DLRM: bags of embeddings, an MLP, their pairwise products, another MLP"""

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, ROWS, BATCH = 16, (1000, 500, 200, 50), 64


def mlp(*sizes):
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class DLRM(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(n, WIDTH, mode="sum") for n in ROWS)
        self.bottom = mlp(13, 64, WIDTH)
        pairs = len(ROWS) * (len(ROWS) + 1) // 2
        self.top = mlp(WIDTH + pairs, 64, 1)

    def forward(self, dense, indices, offsets):
        x = F.relu(self.bottom(dense))
        bags = [t(i, offsets) for t, i in zip(self.tables, indices)]
        features = torch.stack([x, *bags], dim=1)
        products = torch.bmm(features, features.transpose(1, 2))
        rows, columns = torch.tril_indices(len(ROWS) + 1, len(ROWS) + 1, offset=-1)
        return self.top(torch.cat([x, products[:, rows, columns]], dim=1)).squeeze(1)


torch.manual_seed(0)
model = DLRM()
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.01)
dense = torch.randn(BATCH, 13)
indices = [torch.randint(n, (3 * BATCH,)) for n in ROWS]
offsets = torch.arange(0, 3 * BATCH, 3)
clicked = torch.randint(2, (BATCH,)).float()


@torch.compile
def forward(dense, indices, offsets):
    return model(dense, indices, offsets).sigmoid()


@torch.compile
def train(dense, indices, offsets, clicked):
    optimizer.zero_grad()
    loss = F.binary_cross_entropy_with_logits(model(dense, indices, offsets), clicked)
    loss.backward()
    optimizer.step()
    return loss


with torch.no_grad():
    forward(dense, indices, offsets)
train(dense, indices, offsets, clicked)
