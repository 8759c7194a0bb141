import torch
import torch.nn as nn
import torch.nn.functional as F

class Decoder(nn.Module):
    def __init__(self, vocab=50, d=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.gru = nn.GRUCell(d, d)
        self.out = nn.Linear(d, vocab)
    def step(self, tok, h):
        h = self.gru(self.emb(tok), h)
        return F.log_softmax(self.out(h), dim=-1), h

def beam_search(dec, h0, bos=1, eos=2, beam=3, max_len=6):
    B, D = h0.shape
    V = dec.out.out_features
    h = h0.repeat_interleave(beam, 0)
    tokens = torch.full((B * beam, 1), bos, dtype=torch.long)
    scores = torch.full((B, beam), float("-inf"))
    scores[:, 0] = 0.0
    finished = torch.zeros(B * beam, dtype=torch.bool)
    for _ in range(max_len):
        logp, h = dec.step(tokens[:, -1], h)
        logp = logp.masked_fill(finished[:, None], float("-inf"))
        logp[finished, eos] = 0.0
        cand = scores.view(-1, 1) + logp
        scores, idx = cand.view(B, beam * V).topk(beam, dim=-1)
        parent = idx // V + torch.arange(B)[:, None] * beam
        tok = idx % V
        parent = parent.view(-1)
        tokens = torch.cat([tokens[parent], tok.view(-1, 1)], dim=1)
        h = h[parent]
        finished = finished[parent] | (tok.view(-1) == eos)
        if finished.all():
            break
    return tokens.view(B, beam, -1), scores

torch.manual_seed(0)
dec = Decoder()
with torch.no_grad():
    t, s = beam_search(dec, torch.randn(2, 32))
print(t[0, 0], s[0])
