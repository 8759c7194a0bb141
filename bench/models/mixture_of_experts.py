"""A mixture of experts: the top two of eight, each token sent to its own (as in Mixtral)"""

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, HIDDEN, EXPERTS, CHOSEN = 64, 128, 8, 2


class Expert(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.up = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class MixtureOfExperts(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.experts = nn.ModuleList(Expert() for _ in range(EXPERTS))

    def forward(self, x):
        tokens = x.view(-1, WIDTH)
        weights, chosen = self.router(tokens).softmax(-1).topk(CHOSEN)
        weights = weights / weights.sum(-1, keepdim=True)
        result = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            rows, places = torch.where(chosen == number)
            output = expert(tokens[rows]) * weights[rows, places, None]
            result.index_add_(0, rows, output)
        return result.view_as(x)


torch.manual_seed(0)
model = MixtureOfExperts()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
x = torch.randn(2, 32, WIDTH)


@torch.compile
def forward(x):
    return model(x)


@torch.compile
def train(x, target):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), target)
    loss.backward()
    optimizer.step()
    return loss


with torch.no_grad():
    forward(x)
train(x, torch.randn(2, 32, WIDTH))
