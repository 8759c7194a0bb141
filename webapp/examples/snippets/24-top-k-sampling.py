"""The fifty likeliest words, and all words in order up to nine tenths"""

# inputs: f32[64,4096]

import torch


def sample(logits):
    values, _ = torch.topk(logits, 50)
    ordered, words = torch.sort(logits, stable=True, descending=True)
    nucleus = torch.cumsum(torch.softmax(ordered, -1), -1) < 0.9
    return torch.softmax(values, -1), torch.where(nucleus, words, -1)
