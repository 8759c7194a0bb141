import torch
import torch.nn.functional as F


def selective_log_softmax(logits, index):
    selected = torch.gather(logits, dim=-1, index=index.unsqueeze(-1)).squeeze(-1)
    return selected - torch.logsumexp(logits, dim=-1)


@torch.compile
def grpo_loss(logits, ref_logps, old_logps, tokens, rewards, mask, num_generations=4, beta=0.04, eps_low=0.2, eps_high=0.28):
    logps = selective_log_softmax(logits / 0.9, tokens)
    grouped = rewards.view(-1, num_generations)
    mean = grouped.mean(dim=1).repeat_interleave(num_generations, dim=0)
    std = grouped.std(dim=1).repeat_interleave(num_generations, dim=0)
    advantages = (rewards - mean) / (std + 1e-4)
    per_token_kl = torch.exp(ref_logps - logps) - (ref_logps - logps) - 1
    ratio = torch.exp(logps - old_logps)
    clipped = torch.clamp(ratio, 1 - eps_low, 1 + eps_high)
    per_token = -torch.min(ratio * advantages.unsqueeze(1), clipped * advantages.unsqueeze(1)) + beta * per_token_kl
    loss = ((per_token * mask).sum(-1) / mask.sum(-1).clamp(min=1.0)).mean()
    is_clipped = (((ratio < 1 - eps_low) & (advantages.unsqueeze(1) < 0)) | ((ratio > 1 + eps_high) & (advantages.unsqueeze(1) > 0))).float()
    entropy = torch.distributions.Categorical(logits=logits).entropy()
    return loss, (is_clipped * mask).sum() / mask.sum(), (entropy * mask).sum() / mask.sum()


torch.manual_seed(0)
B, T, V = 8, 12, 100
logits = torch.randn(B, T, V, requires_grad=True)
tokens = torch.randint(0, V, (B, T))
ref = torch.log_softmax(torch.randn(B, T, V), -1).gather(-1, tokens[..., None])[..., 0]
mask = (torch.arange(T)[None] < torch.randint(3, T, (B,))[:, None]).float()
loss, clip, ent = grpo_loss(logits, ref, ref + 0.1 * torch.randn(B, T), tokens, torch.randint(0, 2, (B,)).float(), mask)
loss.backward()
print(loss, clip, ent, logits.grad.norm())
