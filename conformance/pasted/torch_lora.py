import math
import torch
import torch.nn as nn

class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r: int = 8, lora_alpha: int = 16, lora_dropout: float = 0.0):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad = False
        self.lora_A = nn.Parameter(torch.zeros(r, base.in_features))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, r))
        self.scaling = lora_alpha / r
        self.dropout = nn.Dropout(lora_dropout)
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
        self.merged = False
    def forward(self, x):
        if self.merged:
            return self.base(x)
        return self.base(x) + (self.dropout(x) @ self.lora_A.T @ self.lora_B.T) * self.scaling

def inject(model, r=4):
    for name, child in model.named_children():
        if isinstance(child, nn.Linear):
            setattr(model, name, LoRALinear(child, r=r))
        else:
            inject(child, r)
    return model

model = inject(nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64)))
opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
x, y = torch.randn(16, 64), torch.randn(16, 64)
for _ in range(2):
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    opt.step()
print(loss.item())
