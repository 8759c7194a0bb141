import torch
from torch._higher_order_ops.while_loop import while_loop


@torch.compile
def f(x):
    return torch.cond(x.sum() > 0, lambda x: x.cos(), lambda x: x.sin(), (x,))


@torch.compile
def collatz(n, steps):
    def cond_fn(n, steps):
        return n > 1

    def body_fn(n, steps):
        return torch.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    return while_loop(cond_fn, body_fn, (n, steps))


print(f(torch.randn(4)))
print(collatz(torch.tensor(27), torch.tensor(0)))
