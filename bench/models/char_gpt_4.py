"""A character-level GPT of four blocks, decoding with a KV cache, and a training step"""

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY, CONTEXT, WIDTH, HEADS, BLOCKS = 65, 64, 128, 4, 4


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, cache=None, position=None):
        b, t, _ = x.shape
        q, k, v = (
            part.view(b, t, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        if cache is None:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            keys, values = cache
            keys.index_copy_(2, position, k)
            values.index_copy_(2, position, v)
            seen = (torch.arange(CONTEXT) <= position)[None]
            y = F.scaled_dot_product_attention(q, keys, values, attn_mask=seen)
        return self.out(y.transpose(1, 2).reshape(b, t, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(WIDTH), Attention()
        self.norm2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x, cache=None, position=None):
        x = x + self.attention(self.norm1(x), cache, position)
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens, caches=None, position=None):
        if position is None:
            position = torch.arange(tokens.shape[1])
        x = self.tokens(tokens) + self.positions(position)
        for i, block in enumerate(self.blocks):
            x = block(x, None if caches is None else caches[i], position)
        return self.head(self.norm(x))


torch.manual_seed(0)
model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
text = torch.randint(VOCABULARY, (4, CONTEXT + 1))


@torch.compile
def forward(tokens):
    return model(tokens)


@torch.compile
def decode(token, caches, position):
    return model(token, caches, position)[:, -1].argmax(-1, keepdim=True)


@torch.compile
def train(tokens, targets):
    optimizer.zero_grad()
    logits = model(tokens)
    loss = F.cross_entropy(logits.view(-1, VOCABULARY), targets.reshape(-1))
    loss.backward()
    optimizer.step()
    return loss


with torch.no_grad():
    forward(text[:, :-1])

    shape = (1, HEADS, CONTEXT, WIDTH // HEADS)
    caches = [(torch.zeros(shape), torch.zeros(shape)) for _ in range(BLOCKS)]
    token = text[:1, :1]
    for i in range(4):
        token = decode(token, caches, torch.tensor([i]))

train(text[:, :-1], text[:, 1:])
