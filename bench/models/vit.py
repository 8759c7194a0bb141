"""A vision transformer: patches, a class token, pre-norm encoder layers"""

import torch
from torch import nn


class ViT(nn.Module):
    def __init__(self, image=32, patch=4, width=96, depth=3, heads=4, classes=10):
        super().__init__()
        self.patches = nn.Conv2d(3, width, kernel_size=patch, stride=patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, (image // patch) ** 2 + 1, width) * 0.02)
        layer = nn.TransformerEncoderLayer(
            width, heads, 4 * width, dropout=0.0, activation="gelu",
            batch_first=True, norm_first=True,
        )  # fmt: skip
        self.encoder = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], dim=1) + self.positions
        return self.head(self.norm(self.encoder(x)[:, 0]))


torch.manual_seed(0)
model = ViT()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
images, labels = torch.randn(8, 3, 32, 32), torch.randint(10, (8,))


@torch.compile
def forward(images):
    return model(images).softmax(-1)


@torch.compile
def train(images, labels):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(images), labels, label_smoothing=0.1)
    loss.backward()
    optimizer.step()
    return loss


with torch.no_grad():
    model.eval()
    forward(images)
    model.train()
train(images, labels)
