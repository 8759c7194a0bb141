# small: f32[128,16], i64[128]~uniform(0,32)
# medium: f32[16384,64], i64[16384]~uniform(0,1024)
# large: f32[131072,64], i64[131072]~uniform(0,8192)
# dtypes: f32
import torch


def f(messages, target):
    nodes = torch.zeros(8192, messages.shape[1], dtype=messages.dtype)
    return nodes.index_add(0, target, torch.relu(messages))
