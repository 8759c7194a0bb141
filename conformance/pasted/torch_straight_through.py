import torch


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


def fake_quantize(x, bits=8):
    scale = x.abs().max() / (2 ** (bits - 1) - 1)
    return Round.apply(x / scale) * scale
