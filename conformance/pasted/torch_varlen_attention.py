import torch


@torch.compile
def varlen(q, k, v, cu):
    total = q.shape[0]
    pos = torch.arange(total)
    seg = torch.searchsorted(cu, pos, right=True)
    mask = (seg[:, None] == seg[None, :]) & (pos[:, None] >= pos[None, :])
    s = torch.einsum("qhd,khd->hqk", q, k) * q.shape[-1] ** -0.5
    p = torch.softmax(s.masked_fill(~mask, -torch.inf), -1)
    return torch.einsum("hqk,khd->qhd", p, v)


q, k, v = (torch.randn(30, 4, 16, requires_grad=True) for _ in range(3))
varlen(q, k, v, torch.tensor([0, 7, 19, 30])).sum().backward()
print(q.grad.norm())
