import torch
from torch import nn

model = nn.Linear(16, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


@torch.compile
def train_step(x, y):
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    return loss


for _ in range(3):
    print(train_step(torch.randn(32, 16), torch.randn(32, 1)).item())
