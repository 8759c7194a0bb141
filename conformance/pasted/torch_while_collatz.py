import torch
from torch._higher_order_ops.while_loop import while_loop


@torch.compile
def collatz(n):
    def cond(i, x):
        return (x != 1).any()

    def body(i, x):
        nxt = torch.where(x % 2 == 0, x // 2, 3 * x + 1)
        return i + (x != 1), torch.where(x == 1, x, nxt)

    return while_loop(cond, body, (torch.zeros_like(n), n))[0]


print(collatz(torch.tensor([7, 27, 1, 97])))
