# small: f32[2,4,32,32], bool[32,32]
# medium: f32[4,8,256,256], bool[256,256]
# large: f32[8,16,512,512], bool[512,512]
import torch


def f(scores, hidden):
    return torch.softmax(scores.masked_fill(hidden, -1e9) * 0.125, dim=-1)
