import torch
import torch.nn as nn

class CRF(nn.Module):
    """Linear-chain CRF, batch first."""
    def __init__(self, num_tags: int):
        super().__init__()
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags).uniform_(-0.1, 0.1))
        self.start = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.end = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))

    def _score(self, emissions, tags, mask):
        B, T, _ = emissions.shape
        score = self.start[tags[:, 0]] + emissions[:, 0].gather(1, tags[:, :1]).squeeze(1)
        for t in range(1, T):
            step = self.transitions[tags[:, t - 1], tags[:, t]]
            step = step + emissions[:, t].gather(1, tags[:, t : t + 1]).squeeze(1)
            score = score + step * mask[:, t]
        last = mask.long().sum(1) - 1
        return score + self.end[tags.gather(1, last[:, None]).squeeze(1)]

    def _partition(self, emissions, mask):
        alpha = self.start + emissions[:, 0]
        for t in range(1, emissions.size(1)):
            inner = alpha.unsqueeze(2) + self.transitions + emissions[:, t].unsqueeze(1)
            new = torch.logsumexp(inner, dim=1)
            alpha = torch.where(mask[:, t].unsqueeze(1).bool(), new, alpha)
        return torch.logsumexp(alpha + self.end, dim=1)

    def forward(self, emissions: torch.Tensor, tags: torch.LongTensor, mask: torch.Tensor):
        return (self._partition(emissions, mask) - self._score(emissions, tags, mask)).mean()
