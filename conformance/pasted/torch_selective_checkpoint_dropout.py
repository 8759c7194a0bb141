import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts, CheckpointPolicy
from functools import partial

ops_to_save = [torch.ops.aten.mm.default, torch.ops.aten.addmm.default]
def policy_fn(ctx, op, *args, **kwargs):
    return CheckpointPolicy.MUST_SAVE if op in ops_to_save else CheckpointPolicy.PREFER_RECOMPUTE
context_fn = partial(create_selective_checkpoint_contexts, policy_fn)

class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.norm, self.drop = nn.LayerNorm(d), nn.Dropout(0.1)
    def forward(self, x):
        return x + self.drop(self.fc2(torch.nn.functional.gelu(self.fc1(self.norm(x)))))

class Model(nn.Module):
    def __init__(self, d=32, n=2):
        super().__init__()
        self.blocks = nn.ModuleList(Block(d) for _ in range(n))
    def forward(self, x):
        for b in self.blocks:
            x = checkpoint(b, x, use_reentrant=False, context_fn=context_fn)
        return x

model = torch.compile(Model())
x = torch.randn(8, 32, requires_grad=True)
loss = model(x).square().mean()
loss.backward()
