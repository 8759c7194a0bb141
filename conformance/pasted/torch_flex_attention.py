import torch
from torch.nn.attention.flex_attention import flex_attention


def alibi(score, b, h, q_idx, kv_idx):
    return score + (kv_idx - q_idx) * 0.1


flex = torch.compile(flex_attention)
q, k, v = (torch.randn(1, 2, 64, 16) for _ in range(3))
print(flex(q, k, v, score_mod=alibi).shape)
