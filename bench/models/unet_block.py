"""A U-Net level: group norm and SiLU, down by a stride, up by interpolation, a skip connection"""

import torch
import torch.nn.functional as F
from torch import nn


class Convs(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, padding=1), nn.GroupNorm(4, outputs), nn.SiLU(),
            nn.Conv2d(outputs, outputs, 3, padding=1), nn.GroupNorm(4, outputs), nn.SiLU(),
        )  # fmt: skip

    def forward(self, x):
        return self.layers(x)


class UNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.inside = Convs(1, width)
        self.down = nn.Conv2d(width, width, 3, stride=2, padding=1)
        self.middle = Convs(width, 2 * width)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.outside = Convs(4 * width, width)
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        skip = self.inside(x)
        low = self.middle(self.down(skip))
        smooth = F.interpolate(low, scale_factor=2, mode="bilinear", align_corners=False)
        return self.out(self.outside(torch.cat([skip, self.up(low), smooth], dim=1)))


def dice_loss(logits, mask):
    p = logits.sigmoid()
    overlap = 2 * (p * mask).sum((1, 2, 3)) + 1
    return (1 - overlap / (p.sum((1, 2, 3)) + mask.sum((1, 2, 3)) + 1)).mean()


torch.manual_seed(0)
model = UNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
images, masks = torch.randn(2, 1, 48, 48), (torch.rand(2, 1, 48, 48) > 0.5).float()


@torch.compile
def forward(images):
    return model(images)


@torch.compile
def train(images, masks):
    optimizer.zero_grad()
    logits = model(images)
    loss = F.binary_cross_entropy_with_logits(logits, masks) + dice_loss(logits, masks)
    loss.backward()
    optimizer.step()
    return loss


with torch.no_grad():
    forward(images)
train(images, masks)
