import torch
from dataclasses import dataclass
from torch import nn


@dataclass
class Output:
    logits: torch.Tensor
    loss: torch.Tensor | None = None


class Clf(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(8, 3)

    def forward(self, x, labels=None):
        logits = self.l(x)
        loss = None if labels is None else nn.functional.cross_entropy(logits, labels)
        return Output(logits, loss)


net = torch.compile(Clf())
out = net(torch.randn(4, 8), labels=torch.tensor([0, 1, 2, 1]))
out.loss.backward()
print(out.logits.shape)
