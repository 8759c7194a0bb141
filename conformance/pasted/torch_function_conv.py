import torch
import torch.nn.functional as F


def block(x, weight, bias):
    x = F.conv2d(x, weight, bias, stride=1, padding=1)
    return F.max_pool2d(F.relu(x), 2)
