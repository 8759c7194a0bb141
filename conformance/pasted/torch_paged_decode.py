import math
import torch


def precompute_freqs(dim, end, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: dim // 2].float() / dim))
    t = torch.arange(end)
    freqs = torch.outer(t, freqs)
    return freqs.cos(), freqs.sin()


def apply_rope(x, cos, sin, pos):
    c, s = cos[pos][:, None, :], sin[pos][:, None, :]
    x1, x2 = x[..., ::2], x[..., 1::2]
    return torch.stack((x1 * c - x2 * s, x1 * s + x2 * c), dim=-1).flatten(-2)


class PagedKVCache:
    def __init__(self, num_blocks, block_size, heads, dim):
        self.k = torch.zeros(num_blocks, block_size, heads, dim)
        self.v = torch.zeros(num_blocks, block_size, heads, dim)
        self.block_size = block_size


@torch.compile(fullgraph=True)
def decode_step(q, k, v, k_cache, v_cache, block_table, seq_lens, cos, sin):
    B, H, D = q.shape
    bs = k_cache.shape[1]
    pos = seq_lens - 1
    q = apply_rope(q, cos, sin, pos)
    k = apply_rope(k, cos, sin, pos)
    slot = block_table.gather(1, (pos // bs)[:, None])[:, 0] * bs + pos % bs
    k_cache.view(-1, *k_cache.shape[2:]).index_copy_(0, slot, k)
    v_cache.view(-1, *v_cache.shape[2:]).index_copy_(0, slot, v)
    keys = k_cache[block_table].flatten(1, 2)
    values = v_cache[block_table].flatten(1, 2)
    rep = H // keys.shape[2]
    keys = keys.repeat_interleave(rep, dim=2)
    values = values.repeat_interleave(rep, dim=2)
    scores = torch.einsum("bhd,bshd->bhs", q, keys) / math.sqrt(D)
    mask = torch.arange(keys.shape[1], device=q.device)[None] < seq_lens[:, None]
    scores = scores.masked_fill(~mask[:, None], float("-inf"))
    return torch.einsum("bhs,bshd->bhd", scores.softmax(-1), values)


torch.manual_seed(0)
cache = PagedKVCache(16, 4, 2, 32)
cache.k.normal_(); cache.v.normal_()
cos, sin = precompute_freqs(32, 64)
table = torch.randperm(16)[:12].view(3, 4)
lens = torch.tensor([5, 16, 1])
for _ in range(2):
    out = decode_step(torch.randn(3, 8, 32), torch.randn(3, 2, 32), torch.randn(3, 2, 32), cache.k, cache.v, table, lens, cos, sin)
print(out.shape, cache.k.sum())
