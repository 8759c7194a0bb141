import torch


@torch.no_grad()
def speculative_accept(draft_tokens, draft_probs, target_probs, u):
    """draft_tokens (B, K), draft_probs (B, K, V), target_probs (B, K+1, V), u (B, K)."""
    B, K = draft_tokens.shape
    p = target_probs[:, :K].gather(-1, draft_tokens.unsqueeze(-1)).squeeze(-1)
    q = draft_probs.gather(-1, draft_tokens.unsqueeze(-1)).squeeze(-1)
    accept = u < (p / q).clamp(max=1.0)
    n_accepted = accept.int().cumprod(dim=1).sum(dim=1)
    rejected = n_accepted < K
    idx = n_accepted.view(B, 1, 1).expand(-1, 1, target_probs.shape[-1])
    t = target_probs.gather(1, idx).squeeze(1)
    d = torch.cat([draft_probs, torch.zeros_like(draft_probs[:, :1])], 1).gather(1, idx).squeeze(1)
    residual = torch.where(rejected.unsqueeze(-1), (t - d).clamp(min=0), t)
    residual = residual / residual.sum(-1, keepdim=True)
    next_token = residual.argmax(-1)
    out = torch.full((B, K + 1), -1, dtype=torch.long, device=draft_tokens.device)
    pos = torch.arange(K + 1, device=out.device).expand(B, -1)
    out[:, :K] = torch.where(pos[:, :K] < n_accepted[:, None], draft_tokens, out[:, :K])
    out.scatter_(1, n_accepted[:, None], next_token[:, None])
    return out, n_accepted


torch.manual_seed(0)
B, K, V = 4, 5, 50
dp = torch.randn(B, K, V).softmax(-1)
tp = torch.randn(B, K + 1, V).softmax(-1)
fn = torch.compile(speculative_accept)
print(fn(dp.argmax(-1), dp, tp, torch.rand(B, K)))
