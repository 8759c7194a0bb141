import copy

import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap

models = [nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3)) for _ in range(4)]
params, buffers = stack_module_state(models)
base_model = copy.deepcopy(models[0]).to("meta")


def fmodel(params, buffers, x):
    return functional_call(base_model, (params, buffers), (x,))


ensemble = torch.compile(vmap(fmodel, in_dims=(0, 0, None)))
print(ensemble(params, buffers, torch.randn(5, 8)).shape)
