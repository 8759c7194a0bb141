"""A character model on LSTM: two layers, and the gradient through time"""

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY, WIDTH, LENGTH, BATCH = 65, 64, 24, 8


class CharacterModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.rnn = nn.LSTM(WIDTH, 2 * WIDTH, num_layers=2, batch_first=True)
        self.head = nn.Linear(2 * WIDTH, VOCABULARY)

    def forward(self, tokens, state=None):
        x, state = self.rnn(self.embed(tokens), state)
        return self.head(x), state


torch.manual_seed(0)
model = CharacterModel()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
text = torch.randint(VOCABULARY, (BATCH, LENGTH + 1))


@torch.compile
def forward(tokens):
    return model(tokens)


@torch.compile
def train(tokens, targets):
    optimizer.zero_grad()
    logits, _ = model(tokens)
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss


with torch.no_grad():
    forward(text[:, :-1])
train(text[:, :-1], text[:, 1:])
