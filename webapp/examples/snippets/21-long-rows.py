"""Rows of 100,000: the best with its place, variance in one walk, softmax"""

# inputs: f32[16,100000]

import torch


def long_rows(x):
    best, place = x.max(-1)
    variance, mean = torch.var_mean(x, dim=-1)
    return torch.softmax(x, -1), best, place, variance, mean
