import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
activations = {}


def save(name):
    def hook(module, inputs, output):
        activations[name] = output.detach()

    return hook


model[0].register_forward_hook(save("fc1"))
model[2].register_forward_pre_hook(lambda module, args: (args[0] * 2,))
compiled = torch.compile(model)
compiled(torch.randn(3, 8))
print(activations["fc1"].shape)
