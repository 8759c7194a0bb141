import torch
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
params = dict(net.named_parameters())


def loss(p, x, y):
    return (functional_call(net, p, (x,)) - y).square().mean()


@torch.compile
def stats(params, x, y):
    per_sample = vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
    u = lambda z: functional_call(net, params, (z,)).squeeze()
    lap = vmap(lambda z: torch.trace(hessian(u)(z)))(x)
    J = vmap(jacrev(u))(x)
    _, tangent = jvp(u, (x,), (torch.ones_like(x),))
    out, pull = vjp(u, x)
    (cot,) = pull(torch.ones_like(out))
    return per_sample, lap, J, vmap(jacfwd(u))(x), tangent, cot


print(stats(params, torch.randn(6, 4), torch.randn(6, 1))[1])
