import torch

params = [torch.randn(64, 64, requires_grad=True) for _ in range(4)]
for p in params:
    p.grad = torch.rand_like(p)
opt = torch.optim.Adam(params, lr=torch.tensor(0.01))


@torch.compile(fullgraph=False)
def fn():
    opt.step()


for _ in range(3):
    fn()
