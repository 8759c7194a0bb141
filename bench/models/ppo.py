"""PPO: advantages by GAE, and a step on the clipped surrogate, the value and the entropy"""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical

STEPS, ENVIRONMENTS, OBSERVED, ACTIONS = 32, 8, 8, 4


class ActorCritic(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(OBSERVED, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh()
        )
        self.policy, self.value = nn.Linear(width, ACTIONS), nn.Linear(width, 1)

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.policy(h)), self.value(h).squeeze(-1)


@torch.compile
def advantages(rewards, values, done, last, discount=0.99, trace=0.95):
    found, advantage = [], torch.zeros_like(last)
    following = last
    for t in reversed(range(rewards.shape[0])):
        alive = 1.0 - done[t]
        delta = rewards[t] + discount * following * alive - values[t]
        advantage = delta + discount * trace * alive * advantage
        found.insert(0, advantage)
        following = values[t]
    return torch.stack(found)


torch.manual_seed(0)
model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-4, eps=1e-5)


@torch.compile
def train(observed, actions, old_log_odds, advantage, returns):
    odds, value = model(observed)
    ratio = torch.exp(odds.log_prob(actions) - old_log_odds)
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    clipped = ratio.clamp(0.8, 1.2) * advantage
    policy_loss = -torch.min(ratio * advantage, clipped).mean()
    loss = policy_loss + 0.5 * F.mse_loss(value, returns) - 0.01 * odds.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    return loss


shape = (STEPS, ENVIRONMENTS)
observed, actions = torch.randn(*shape, OBSERVED), torch.randint(ACTIONS, shape)
with torch.no_grad():
    odds, values = model(observed)
    old_log_odds = odds.log_prob(actions) + 0.1 * torch.randn(shape)
    done = (torch.rand(shape) < 0.05).float()
    advantage = advantages(torch.randn(shape), values, done, torch.randn(ENVIRONMENTS))
train(observed, actions, old_log_odds, advantage, advantage + values)
