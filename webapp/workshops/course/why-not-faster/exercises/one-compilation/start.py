"""A temperature that changes from call to call"""

import torch


@torch.compile
def tempered(logits, temperature):
    return torch.softmax(logits / temperature, -1)


def sample(logits, temperature: float):
    return tempered(logits, temperature)


logits = torch.linspace(-4, 4, 64 * 512).reshape(64, 512)
for temperature in (1.0, 0.8, 0.6):
    sample(logits, temperature)
