import torch
from torch.fx import symbolic_trace


class MyModule(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.param = torch.nn.Parameter(torch.rand(3, 4))
        self.linear = torch.nn.Linear(4, 5)

    def forward(self, x):
        return self.linear(x + self.param).clamp(min=0.0, max=1.0)


symbolic_traced = symbolic_trace(MyModule())
print(symbolic_traced.graph)
