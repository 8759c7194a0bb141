import torch
from torch import nn


class Tied(nn.Module):
    def __init__(self, vocab=50, dim=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.out = nn.Linear(dim, vocab, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, ids):
        return self.out(torch.tanh(self.emb(ids)))


model = torch.compile(Tied())
loss = model(torch.randint(0, 50, (4, 7))).logsumexp(-1).mean()
loss.backward()
print(loss.item())
