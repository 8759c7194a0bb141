import torch
import torch.nn as nn
import torch.nn.functional as F
import math


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r: int = 8, alpha: int = 16, dropout: float = 0.05, use_dora: bool = True):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.lora_A = nn.Parameter(torch.empty(r, base.in_features))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
        self.scaling = alpha / r
        self.drop = nn.Dropout(dropout)
        if use_dora:
            self.m = nn.Parameter(base.weight.norm(p=2, dim=1, keepdim=True))

    def forward(self, x):
        if hasattr(self, "m"):
            w = self.base.weight + self.scaling * self.lora_B @ self.lora_A
            w = self.m * w / w.norm(p=2, dim=1, keepdim=True).detach()
            return F.linear(x, w, self.base.bias)
        return self.base(x) + self.drop(x) @ self.lora_A.T @ self.lora_B.T * self.scaling
