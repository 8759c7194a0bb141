import torch
import torch.nn as nn

class ActorCritic(nn.Module):
    def __init__(self, obs_dim=8, n_actions=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.pi = nn.Linear(64, n_actions)
        self.v = nn.Linear(64, 1)
    def forward(self, obs):
        h = self.body(obs)
        return self.pi(h), self.v(h).squeeze(-1)

def ppo_update(model, optimizer, batch, clip=0.2, vf_coef=0.5, ent_coef=0.01):
    obs, actions, old_logp, adv, ret = batch
    logits, values = model(obs)
    dist = torch.distributions.Categorical(logits=logits)
    logp = dist.log_prob(actions)
    ratio = torch.exp(logp - old_logp)
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    pg = -torch.min(ratio * adv, torch.clamp(ratio, 1 - clip, 1 + clip) * adv).mean()
    vf = (values - ret).pow(2).mean()
    ent = dist.entropy().mean()
    loss = pg + vf_coef * vf - ent_coef * ent
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    return loss.item()
