import torch
from torch import nn


class PatchEmbedding(nn.Module):
    def __init__(self, img_size=32, patch_size=8, in_chans=3, embed_dim=64):
        super().__init__()
        self.n = (img_size // patch_size) ** 2
        self.proj = nn.Conv2d(in_chans, embed_dim, patch_size, patch_size)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class ViT(nn.Module):
    def __init__(self, num_classes, img_size=32, embed_dim=64, depth=2, heads=4):
        super().__init__()
        self.patch = PatchEmbedding(img_size, embed_dim=embed_dim)
        self.cls = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.pos = nn.Parameter(torch.zeros(1, self.patch.n + 1, embed_dim))
        layer = nn.TransformerEncoderLayer(embed_dim, heads, 4 * embed_dim, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.head = nn.Linear(embed_dim, num_classes)

    def forward(self, img):
        x = self.patch(img)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], dim=1) + self.pos
        return self.head(self.encoder(x)[:, 0])
