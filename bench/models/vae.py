"""A variational autoencoder of digits: the reparametrization trick and the ELBO"""

import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self, pixels=784, hidden=256, latent=16):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.ReLU())
        self.mean, self.log_variance = nn.Linear(hidden, latent), nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(
            nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, pixels)
        )

    def forward(self, x):
        h = self.encoder(x)
        mean, log_variance = self.mean(h), self.log_variance(h)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
        return self.decoder(z), mean, log_variance


def negative_elbo(logits, x, mean, log_variance):
    rebuilt = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    divergence = -0.5 * torch.sum(1 + log_variance - mean**2 - log_variance.exp())
    return (rebuilt + divergence) / len(x)


torch.manual_seed(0)
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.rand(64, 784)


@torch.compile
def forward(x):
    logits, mean, log_variance = model(x)
    return torch.sigmoid(logits), negative_elbo(logits, x, mean, log_variance)


@torch.compile
def train(x):
    optimizer.zero_grad()
    logits, mean, log_variance = model(x)
    loss = negative_elbo(logits, x, mean, log_variance)
    loss.backward()
    optimizer.step()
    return loss


with torch.no_grad():
    forward(x)
train(x)
