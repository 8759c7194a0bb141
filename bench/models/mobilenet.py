"""MobileNet: inverted residuals, depthwise convolutions, squeeze and excitation, hard swish"""

import torch
import torch.nn.functional as F
from torch import nn


class SqueezeExcite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.down = nn.Conv2d(channels, channels // 4, 1)
        self.up = nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x):
        scale = F.adaptive_avg_pool2d(x, 1)
        return x * F.hardsigmoid(self.up(F.relu(self.down(scale))))


class InvertedResidual(nn.Module):
    def __init__(self, inputs, hidden, outputs, kernel, stride, excite, act):
        super().__init__()
        self.residual = stride == 1 and inputs == outputs
        self.layers = nn.Sequential(
            nn.Conv2d(inputs, hidden, 1, bias=False),
            nn.BatchNorm2d(hidden),
            act(),
            nn.Conv2d(hidden, hidden, kernel, stride, kernel // 2, groups=hidden, bias=False),
            nn.BatchNorm2d(hidden),
            SqueezeExcite(hidden) if excite else nn.Identity(),
            act(),
            nn.Conv2d(hidden, outputs, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )

    def forward(self, x):
        return x + self.layers(x) if self.residual else self.layers(x)


class MobileNet(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1, bias=False),
            nn.BatchNorm2d(16),
            nn.Hardswish(),
            InvertedResidual(16, 64, 24, 3, 2, False, nn.ReLU6),
            InvertedResidual(24, 72, 24, 3, 1, False, nn.ReLU6),
            InvertedResidual(24, 96, 40, 5, 2, True, nn.Hardswish),
        )
        self.classifier = nn.Sequential(
            nn.Linear(40, 128), nn.Hardswish(), nn.Dropout(0.2), nn.Linear(128, classes)
        )

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


torch.manual_seed(0)
model = MobileNet()
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01, momentum=0.9)
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
