"""Multi-head latent attention (DeepSeek-V2)."""
from dataclasses import dataclass
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    dim: int = 64
    n_heads: int = 4
    q_lora_rank: int = 24
    kv_lora_rank: int = 16
    qk_nope_head_dim: int = 16
    qk_rope_head_dim: int = 8
    v_head_dim: int = 16
    max_seq_len: int = 32


def apply_rotary_emb(x, freqs_cis):
    dtype = x.dtype
    x = torch.view_as_complex(x.float().view(*x.shape[:-1], -1, 2))
    freqs_cis = freqs_cis.view(1, x.size(1), 1, x.size(-1))
    return torch.view_as_real(x * freqs_cis).flatten(3).to(dtype)


class MLA(nn.Module):
    def __init__(self, args: Config):
        super().__init__()
        self.args = args
        self.qk_head_dim = args.qk_nope_head_dim + args.qk_rope_head_dim
        self.wq_a = nn.Linear(args.dim, args.q_lora_rank, bias=False)
        self.q_norm = nn.RMSNorm(args.q_lora_rank)
        self.wq_b = nn.Linear(args.q_lora_rank, args.n_heads * self.qk_head_dim, bias=False)
        self.wkv_a = nn.Linear(args.dim, args.kv_lora_rank + args.qk_rope_head_dim, bias=False)
        self.kv_norm = nn.RMSNorm(args.kv_lora_rank)
        self.wkv_b = nn.Linear(args.kv_lora_rank, args.n_heads * (args.qk_nope_head_dim + args.v_head_dim), bias=False)
        self.wo = nn.Linear(args.n_heads * args.v_head_dim, args.dim, bias=False)
        self.softmax_scale = self.qk_head_dim ** -0.5
        self.register_buffer("kv_cache", torch.zeros(2, args.max_seq_len, args.kv_lora_rank), persistent=False)
        self.register_buffer("pe_cache", torch.zeros(2, args.max_seq_len, args.qk_rope_head_dim), persistent=False)

    def forward(self, x: torch.Tensor, start_pos: int, freqs_cis: torch.Tensor, mask=None):
        bsz, seqlen, _ = x.size()
        a = self.args
        end_pos = start_pos + seqlen
        q = self.wq_b(self.q_norm(self.wq_a(x))).view(bsz, seqlen, a.n_heads, self.qk_head_dim)
        q_nope, q_pe = torch.split(q, [a.qk_nope_head_dim, a.qk_rope_head_dim], dim=-1)
        q_pe = apply_rotary_emb(q_pe, freqs_cis)
        kv, k_pe = torch.split(self.wkv_a(x), [a.kv_lora_rank, a.qk_rope_head_dim], dim=-1)
        k_pe = apply_rotary_emb(k_pe.unsqueeze(2), freqs_cis)
        wkv_b = self.wkv_b.weight.view(a.n_heads, -1, a.kv_lora_rank)
        q_nope = torch.einsum("bshd,hdc->bshc", q_nope, wkv_b[:, :a.qk_nope_head_dim])
        self.kv_cache[:bsz, start_pos:end_pos] = self.kv_norm(kv)
        self.pe_cache[:bsz, start_pos:end_pos] = k_pe.squeeze(2)
        scores = (torch.einsum("bshc,btc->bsht", q_nope, self.kv_cache[:bsz, :end_pos]) +
                  torch.einsum("bshr,btr->bsht", q_pe, self.pe_cache[:bsz, :end_pos])) * self.softmax_scale
        if mask is not None:
            scores += mask.unsqueeze(1).transpose(1, 2) if mask.dim() == 3 else mask[:, None, :]
        scores = scores.softmax(dim=-1, dtype=torch.float32).type_as(x)
        x = torch.einsum("bsht,btc->bshc", scores, self.kv_cache[:bsz, :end_pos])
        x = torch.einsum("bshc,hdc->bshd", x, wkv_b[:, -a.v_head_dim:])
        return self.wo(x.flatten(2))


torch.manual_seed(0)
cfg = Config()
attn = torch.compile(MLA(cfg))
freqs = 1.0 / (10000.0 ** (torch.arange(0, cfg.qk_rope_head_dim, 2, dtype=torch.float32) / cfg.qk_rope_head_dim))
freqs_cis = torch.polar(torch.ones(32, 4), torch.outer(torch.arange(32), freqs))
mask = torch.full((6, 6), float("-inf")).triu_(1)
with torch.inference_mode():
    y = attn(torch.randn(2, 6, 64), 0, freqs_cis[:6], mask)
    for p in range(6, 9):
        y = attn(torch.randn(2, 1, 64), p, freqs_cis[p:p + 1])
print(y.shape)
