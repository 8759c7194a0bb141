import torch
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap


def f(x):
    return (x.sin() * x).sum()


x = torch.randn(5)
print(torch.compile(grad(f))(x))
print(torch.compile(vmap(grad(f)))(torch.randn(3, 5)))
print(torch.compile(jacrev(lambda x: x.sin() * x.sum()))(x).shape)
print(torch.compile(hessian(f))(x).shape)


@torch.compile
def directional(x, t):
    return jvp(f, (x,), (t,))


print(directional(x, torch.ones(5)))
