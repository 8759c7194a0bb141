import torch
import torch.nn as nn
import torch.nn.functional as F
from dataclasses import dataclass


@dataclass
class ModelArgs:
    dim: int = 64
    n_layers: int = 2
    n_heads: int = 4
    n_kv_heads: int | None = 2
    vocab_size: int = 128
    multiple_of: int = 32
    norm_eps: float = 1e-5
    max_seq_len: int = 64


class RMSNorm(torch.nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + self.eps)).type_as(x) * self.weight


def precompute_freqs_cis(dim: int, end: int, theta: float = 10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    return torch.polar(torch.ones(end, dim // 2), torch.outer(torch.arange(end), freqs))


def apply_rotary_emb(xq, xk, freqs_cis):
    xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))
    xk_ = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))
    f = freqs_cis.view(1, xq_.shape[1], 1, -1)
    return torch.view_as_real(xq_ * f).flatten(3).type_as(xq), torch.view_as_real(xk_ * f).flatten(3).type_as(xk)


class Attention(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.n_kv_heads = args.n_heads if args.n_kv_heads is None else args.n_kv_heads
        self.n_rep = args.n_heads // self.n_kv_heads
        self.hd = args.dim // args.n_heads
        self.wq = nn.Linear(args.dim, args.n_heads * self.hd, bias=False)
        self.wk = nn.Linear(args.dim, self.n_kv_heads * self.hd, bias=False)
        self.wv = nn.Linear(args.dim, self.n_kv_heads * self.hd, bias=False)
        self.wo = nn.Linear(args.n_heads * self.hd, args.dim, bias=False)
        self.cache_k = torch.zeros(4, args.max_seq_len, self.n_kv_heads, self.hd)
        self.cache_v = torch.zeros(4, args.max_seq_len, self.n_kv_heads, self.hd)

    def forward(self, x, start_pos, freqs_cis, mask):
        b, s, _ = x.shape
        xq = self.wq(x).view(b, s, -1, self.hd)
        xk = self.wk(x).view(b, s, self.n_kv_heads, self.hd)
        xv = self.wv(x).view(b, s, self.n_kv_heads, self.hd)
        xq, xk = apply_rotary_emb(xq, xk, freqs_cis)
        self.cache_k[:b, start_pos : start_pos + s] = xk
        self.cache_v[:b, start_pos : start_pos + s] = xv
        keys = self.cache_k[:b, : start_pos + s].repeat_interleave(self.n_rep, 2).transpose(1, 2)
        values = self.cache_v[:b, : start_pos + s].repeat_interleave(self.n_rep, 2).transpose(1, 2)
        scores = xq.transpose(1, 2) @ keys.transpose(2, 3) / self.hd**0.5
        if mask is not None:
            scores = scores + mask
        return self.wo((F.softmax(scores.float(), -1).type_as(xq) @ values).transpose(1, 2).reshape(b, s, -1))


class Block(nn.Module):
    def __init__(self, args):
        super().__init__()
        hidden = args.multiple_of * ((int(8 * args.dim / 3) + args.multiple_of - 1) // args.multiple_of)
        self.attention = Attention(args)
        self.w1, self.w3 = nn.Linear(args.dim, hidden, bias=False), nn.Linear(args.dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, args.dim, bias=False)
        self.n1, self.n2 = RMSNorm(args.dim, args.norm_eps), RMSNorm(args.dim, args.norm_eps)

    def forward(self, x, start_pos, freqs_cis, mask):
        h = x + self.attention(self.n1(x), start_pos, freqs_cis, mask)
        y = self.n2(h)
        return h + self.w2(F.silu(self.w1(y)) * self.w3(y))


class Transformer(nn.Module):
    def __init__(self, params: ModelArgs):
        super().__init__()
        self.tok_embeddings = nn.Embedding(params.vocab_size, params.dim)
        self.layers = nn.ModuleList(Block(params) for _ in range(params.n_layers))
        self.norm = RMSNorm(params.dim)
        self.output = nn.Linear(params.dim, params.vocab_size, bias=False)
        self.freqs_cis = precompute_freqs_cis(params.dim // params.n_heads, params.max_seq_len * 2)

    @torch.inference_mode()
    def forward(self, tokens: torch.Tensor, start_pos: int):
        _b, seqlen = tokens.shape
        h = self.tok_embeddings(tokens)
        freqs_cis = self.freqs_cis[start_pos : start_pos + seqlen]
        mask = None
        if seqlen > 1:
            mask = torch.full((seqlen, seqlen), float("-inf")).triu(1)
            mask = torch.hstack([torch.zeros((seqlen, start_pos)), mask]).type_as(h)
        for layer in self.layers:
            h = layer(h, start_pos, freqs_cis, mask)
        return self.output(self.norm(h)).float()
