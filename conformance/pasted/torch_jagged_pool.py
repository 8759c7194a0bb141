import torch


def segment_softmax(src, index, num):
    mx = torch.full((num,), float("-inf")).scatter_reduce(0, index, src, "amax", include_self=False)
    out = (src - mx[index]).exp()
    den = torch.zeros(num).index_add(0, index, out)
    return out / (den[index] + 1e-16)


@torch.compile
def pool(x, offsets, w):
    """Rows of x belong to len(offsets) - 1 bags."""
    lengths = offsets.diff()
    idx = torch.searchsorted(offsets, torch.arange(x.shape[0]), right=True) - 1
    att = segment_softmax(x @ w, idx, len(offsets) - 1)
    summed = torch.zeros(len(offsets) - 1, x.shape[1]).index_add_(0, idx, x * att[:, None])
    mean = torch.zeros_like(summed).scatter_reduce_(0, idx[:, None].expand_as(x), x, "mean", include_self=False)
    mx = torch.zeros_like(summed).index_reduce_(0, idx, x, "amax", include_self=False)
    padded = x.new_zeros(len(offsets) - 1, 6, x.shape[1])
    inner = torch.arange(x.shape[0]) - offsets[idx]
    padded = padded.index_put((idx, inner.clamp(max=5)), x)
    pos = torch.arange(6)[None] < lengths[:, None]
    return summed, mean, mx, padded.masked_fill(~pos[..., None], 0).sum(1), att


torch.manual_seed(0)
x = torch.randn(14, 8, requires_grad=True)
offsets = torch.tensor([0, 4, 4, 9, 14])
out = pool(x, offsets, torch.randn(8))
sum(o.sum() for o in out).backward()
print([o.shape for o in out])
