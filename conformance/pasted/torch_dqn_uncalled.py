import random
from collections import deque, namedtuple
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward", "done"))

class QNet(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.l1 = nn.Linear(n_obs, 128)
        self.l2 = nn.Linear(128, 128)
        self.l3 = nn.Linear(128, n_actions)
    def forward(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))

def update(policy_net, target_net, optimizer, batch, gamma=0.99):
    states, actions, next_states, rewards, dones = batch
    q = policy_net(states).gather(1, actions.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        next_q = target_net(next_states).max(1).values
        target = rewards + gamma * next_q * (1 - dones)
    loss = F.smooth_l1_loss(q, target)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    return loss
