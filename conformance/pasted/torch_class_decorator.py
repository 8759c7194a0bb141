import torch
from torch import nn


@torch.compile
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(16, 4)

    def forward(self, x):
        return torch.relu(self.fc(x))


net = Net()
print(net(torch.randn(8, 16)).shape)
