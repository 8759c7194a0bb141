"""A switch layer: each token to one expert of limited capacity, by one-hot products, with the
loss that balances them"""

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, HIDDEN, EXPERTS, TOKENS, CAPACITY = 64, 128, 8, 128, 24


class Switch(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.up = nn.Parameter(torch.randn(EXPERTS, WIDTH, HIDDEN) * WIDTH**-0.5)
        self.down = nn.Parameter(torch.randn(EXPERTS, HIDDEN, WIDTH) * HIDDEN**-0.5)

    def forward(self, x):
        odds = self.router(x).softmax(-1)
        weight, expert = odds.max(-1)
        mask = F.one_hot(expert, EXPERTS)
        place = (mask.cumsum(0) - 1) * mask
        kept = mask * (place < CAPACITY)
        slot = F.one_hot(place.sum(-1).clamp(max=CAPACITY - 1), CAPACITY)
        dispatch = (kept.unsqueeze(-1) * slot.unsqueeze(1)).to(x.dtype)
        inside = torch.einsum("tec,td->ecd", dispatch, x)
        hidden = F.relu(torch.einsum("ecd,edh->ech", inside, self.up))
        outside = torch.einsum("ech,ehd->ecd", hidden, self.down)
        y = torch.einsum("tec,ecd->td", dispatch * weight[:, None, None], outside)
        balance = EXPERTS * (mask.float().mean(0) * odds.mean(0)).sum()
        return x + y, balance


torch.manual_seed(0)
model = Switch()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.randn(TOKENS, WIDTH)


@torch.compile
def forward(x):
    return model(x)


@torch.compile
def train(x, target):
    optimizer.zero_grad()
    y, balance = model(x)
    loss = F.mse_loss(y, target) + 0.01 * balance
    loss.backward()
    optimizer.step()
    return loss


with torch.no_grad():
    forward(x)
train(x, torch.randn(TOKENS, WIDTH))
