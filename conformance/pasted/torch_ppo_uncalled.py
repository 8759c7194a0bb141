import torch
import torch.nn as nn
from torch.distributions import Categorical

class ActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, act_dim)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)

def ppo_update(model, optimizer, batch, clip=0.2, vf_coef=0.5, ent_coef=0.01):
    dist, value = model(batch["obs"])
    logp = dist.log_prob(batch["actions"])
    ratio = torch.exp(logp - batch["old_logp"])
    adv = batch["adv"]
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    surr = torch.min(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv)
    loss = -surr.mean() + vf_coef * (value - batch["returns"]).pow(2).mean() - ent_coef * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    return loss.item()
