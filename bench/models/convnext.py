"""ConvNeXt: 7 x 7 depthwise convolutions, channels-last MLPs, layer scale, stochastic depth"""

import torch
import torch.nn.functional as F
from torch import nn


def drop_path(x, rate, training):
    if not training:
        return x
    keep = torch.rand(x.shape[0], 1, 1, 1) >= rate
    return x * keep / (1 - rate)


class LayerNorm2d(nn.LayerNorm):
    def forward(self, x):
        x = x.permute(0, 2, 3, 1)
        return super().forward(x).permute(0, 3, 1, 2)


class Block(nn.Module):
    def __init__(self, width, rate):
        super().__init__()
        self.rate = rate
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.scale = nn.Parameter(1e-6 * torch.ones(width))

    def forward(self, x):
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        y = self.scale * self.down(F.gelu(self.up(y)))
        return x + drop_path(y.permute(0, 3, 1, 2), self.rate, self.training)


class ConvNeXt(nn.Module):
    def __init__(self, widths=(24, 48), classes=10):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, widths[0], 4, 4),
            LayerNorm2d(widths[0]),
            Block(widths[0], 0.1),
            LayerNorm2d(widths[0]),
            nn.Conv2d(widths[0], widths[1], 2, 2),
            Block(widths[1], 0.2),
        )
        self.norm, self.head = nn.LayerNorm(widths[1]), nn.Linear(widths[1], classes)

    def forward(self, x):
        return self.head(self.norm(self.layers(x).mean((-2, -1))))


torch.manual_seed(0)
model = ConvNeXt()
optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
images, labels = torch.randn(4, 3, 64, 64), torch.randint(10, (4,))


@torch.compile
def forward(images):
    return model(images)


@torch.compile
def train(images, labels):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss


model.eval()
with torch.no_grad():
    forward(images)
model.train()
train(images, labels)
