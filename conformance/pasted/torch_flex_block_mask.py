import torch
from torch.nn.attention.flex_attention import flex_attention, create_block_mask

WINDOW = 16


def sliding_window(b, h, q, kv):
    return (q >= kv) & (q - kv <= WINDOW)


def softcap(score, b, h, q, kv):
    return 20 * torch.tanh(score / 20)


block_mask = create_block_mask(sliding_window, None, None, 64, 64, device="cpu")


@torch.compile
def attn(q, k, v):
    return flex_attention(q, k, v, score_mod=softcap, block_mask=block_mask)


print(attn(torch.randn(1, 4, 64, 16), torch.randn(1, 4, 64, 16), torch.randn(1, 4, 64, 16)).shape)
