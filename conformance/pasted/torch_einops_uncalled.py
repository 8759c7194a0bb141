from einops import rearrange, reduce, repeat, einsum, pack, unpack
import torch

def space_to_depth(x):
    return rearrange(x, 'b c (h h2) (w w2) -> b (h2 w2 c) h w', h2=2, w2=2)

def pooled(x):
    return reduce(x, 'b c (h 2) (w 2) -> b c h w', 'max')

def upsample(x):
    return repeat(x, 'b c h w -> b c (h 2) (w 2)')

def attn(q, k, v):
    s = einsum(q, k, 'b h i d, b h j d -> b h i j') / q.shape[-1] ** 0.5
    return einsum(s.softmax(-1), v, 'b h i j, b h j d -> b h i d')

def packed(a, b):
    x, ps = pack([a, b], 'b * d')
    x = x * 2
    a, b = unpack(x, ps, 'b * d')
    return a, b
