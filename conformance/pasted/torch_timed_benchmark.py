import time

import torch
import torch.utils.benchmark as benchmark


def timed(fn):
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    start.record()
    result = fn()
    end.record()
    torch.cuda.synchronize()
    return result, start.elapsed_time(end) / 1000


def foo(x):
    return torch.softmax(x, -1).sum(-1)


opt_foo = torch.compile(foo, mode="reduce-overhead")
x = torch.randn(64, 256).cuda()
print(timed(lambda: foo(x))[1], timed(lambda: opt_foo(x))[1])
