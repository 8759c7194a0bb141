import torch
from torch import nn
from torch.func import functional_call, grad, vmap

model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
params = {k: v.detach() for k, v in model.named_parameters()}
buffers = dict(model.named_buffers())


def compute_loss(params, buffers, sample, target):
    predictions = functional_call(model, (params, buffers), (sample.unsqueeze(0),))
    return nn.functional.cross_entropy(predictions, target.unsqueeze(0))


ft_compute_sample_grad = vmap(grad(compute_loss), in_dims=(None, None, 0, 0))
per_sample = torch.compile(ft_compute_sample_grad)
out = per_sample(params, buffers, torch.randn(8, 4), torch.randint(0, 2, (8,)))
print({k: v.shape for k, v in out.items()})
